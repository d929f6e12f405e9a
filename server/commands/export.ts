import { type Command, Option } from 'commander'
import { errorCode } from '../../core/values/error-code.ts'
import { type Begin, configOption, jsonOption, projectOption } from './begin.ts'
import type { WholeExport } from './whole-project.ts'

interface ExportOptions extends WholeExport {
  readonly all?: true
  readonly search?: string
  readonly subscribed?: 'true' | 'false'
  readonly filter?: string
}

/** `mailwright export`. */
export function addExport(program: Command, begin: Begin): void {
  program
    .command('export')
    .description(
      'print the contacts of a project as CSV, or with --all write all of it into a zip; both can be imported again',
    )
    .option('--search <text>', 'only those whose address contains this')
    .addOption(
      new Option('--subscribed <which>', 'only those who are subscribed, or who are not').choices(['true', 'false']),
    )
    .option('--filter <json>', 'only those who match this filter, written as in a segment')
    .option('--all', 'everything of the project, in a zip; docs/leaving.md')
    .option('--out <file>', 'with --all: the file to create')
    .option('--force', 'with --all: overwrite the file if it exists')
    .addOption(projectOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: ExportOptions, command: Command) => {
      const problem = problemOf(options)
      if (problem) command.error(problem)
      else begin(command, () => (options.all ? exportAll(options) : exportContacts(options)))
    })
}

/** The options that do not go together. */
function problemOf({ all, out, force, json, search, subscribed, filter }: ExportOptions): string | undefined {
  if (all && (search ?? subscribed ?? filter) !== undefined)
    return '--all: it takes all of the project, without --search, --subscribed and --filter'
  if (all && out === undefined) return '--out is missing: name the file to create, such as --out project.zip'
  return !all && (out ?? force ?? json) !== undefined ? '--out, --force and --json need --all' : undefined
}

async function exportAll(options: WholeExport): Promise<number> {
  const { exportWhole } = await import('./whole-project.ts')
  return exportWhole(options)
}

async function exportContacts({ config, project, ...query }: ExportOptions): Promise<number> {
  const [{ withProject }, { pipeline }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('node:stream/promises'),
  ])
  return withProject(
    config,
    project,
    async ({ contacts }, project) => {
      const pages = await contacts.export(project, query)
      try {
        // the next page is read when the reader has taken this one
        await pipeline(pages, process.stdout, { end: false })
      } catch (error) {
        // the reader has enough, such as head
        if (errorCode(error) !== 'EPIPE') throw error
      }
      return 0
    },
    'kept',
  )
}
