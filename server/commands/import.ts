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
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((file: string, options: ImportOptions, command: Command) => begin(command, () => importFile(file, options)))
}

interface ImportOptions extends Common {
  readonly columns?: string
}

async function importFile(file: string, { url, json, columns }: ImportOptions): Promise<number> {
  const [{ withServer }, { importContacts }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/import.ts'),
  ])
  return withServer(url, (client) => importContacts(client, { file, columns, json: json === true }))
}
