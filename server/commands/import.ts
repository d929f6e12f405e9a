import type { Command } from 'commander'
import { type Begin, type Common, jsonOption, urlOption } from './begin.ts'

/** `mailwright import`. */
export function addImport(program: Command, begin: Begin): void {
  program
    .command('import')
    .description(
      'import the contacts of a CSV file into a running server, show the progress, and name the refused rows; more than 5 MB is sent in parts',
    )
    .argument(
      '<file>',
      'with a column of addresses; every other column becomes data of the contact; - reads the standard input',
    )
    .option('--columns <json>', 'what columns become: {"First Name":"name","Notes":null}; docs/contacts.md')
    .option(
      '--topic <slug>',
      'a topic that every contact of the file gets, unless it left the topic here; docs/topics.md',
    )
    .option('--consent-text <text>', 'the words they agreed to, kept as proof with each topic that the file gives them')
    .option(
      '--make-topics',
      'make the topics that the file lists and the project has not got; docs/coming-from-mailchimp.md',
    )
    .option('--resubscribe', 'subscribe who left here again, where the file says so: only if they asked for it')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((file: string, options: ImportOptions, command: Command) => begin(command, () => importFile(file, options)))
}

interface ImportOptions extends Common {
  readonly columns?: string
  readonly topic?: string
  readonly consentText?: string
  readonly resubscribe?: true
  readonly makeTopics?: true
}

async function importFile(file: string, { url, json, ...form }: ImportOptions): Promise<number> {
  const [{ withServer }, { importContacts }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/import.ts'),
  ])
  return withServer(url, (client) => importContacts(client, { file, json: json === true, ...form }))
}
