import { type Command, Option } from 'commander'
import { ENCODINGS, type Encoding } from '../../core/contacts/csv-text.ts'
import { type Begin, configOption, jsonOption, readName, urlOption } from './begin.ts'
import type { WholeImport } from './whole-project.ts'

/** `mailwright import`. */
export function addImport(program: Command, begin: Begin): void {
  program
    .command('import')
    .description(
      'import the contacts of a CSV file into a running server, show the progress, and name the refused rows; more than 5 MB is sent in parts. With --all, bring the project of a zip into the database',
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
    .addOption(
      new Option('--encoding <name>', 'the encoding of the file, where names come out wrong; docs/contacts.md').choices(
        ENCODINGS,
      ),
    )
    .option('--resubscribe', 'subscribe who left here again, where the file says so: only if they asked for it')
    .option(
      '--all',
      'the file is a zip of `export --all`: its project is made in the configured database; docs/leaving.md',
    )
    .option('--name <name>', 'with --all: the name of the project', readName)
    .option('--resume', 'with --all: what waits goes on here, since it has stopped where it comes from')
    .option('-p, --project <project>', 'with --all: the project that takes it, by its id or name, instead of a new one')
    .addOption(configOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((file: string, options: ImportOptions, command: Command) => {
      const problem = problemOf(options)
      if (problem) command.error(problem)
      else begin(command, () => (options.all ? importAll(file, options) : importFile(file, options)))
    })
}

interface ImportOptions extends WholeImport {
  readonly all?: true
  readonly columns?: string
  readonly topic?: string
  readonly consentText?: string
  readonly encoding?: Encoding
  readonly resubscribe?: true
  readonly makeTopics?: true
}

/** The options that do not go together. */
function problemOf({ all, name, resume, project, config, ...contacts }: ImportOptions): string | undefined {
  const { columns, topic, consentText, encoding, resubscribe, makeTopics, url } = contacts
  if (all && project !== undefined && name !== undefined)
    return '--name is for a project that is made, --project for one that is there'
  if (all) {
    const given = columns ?? topic ?? consentText ?? encoding ?? resubscribe ?? makeTopics ?? url
    return given === undefined ? undefined : '--all: it takes --project, --name, --resume, --config and --json alone'
  }
  return (name ?? resume ?? project ?? config) === undefined
    ? undefined
    : '--project, --name, --resume and --config need --all: contacts go to a running server'
}

async function importAll(file: string, options: WholeImport): Promise<number> {
  const { importWhole } = await import('./whole-project.ts')
  return importWhole(file, options)
}

async function importFile(file: string, { url, json, ...form }: ImportOptions): Promise<number> {
  const [{ withServer }, { importContacts }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/import.ts'),
  ])
  return withServer(url, (client) => importContacts(client, { file, json: json === true, ...form }))
}
