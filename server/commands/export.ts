import { type Command, Option } from 'commander'
import { errorCode } from '../../core/values/error-code.ts'
import { type Begin, type Common, configOption, projectOption } from './begin.ts'

interface ExportOptions extends Common {
  readonly search?: string
  readonly subscribed?: 'true' | 'false'
  readonly filter?: string
}

/** `mailwright export`. */
export function addExport(program: Command, begin: Begin): void {
  program
    .command('export')
    .description('print the contacts of a project as CSV, which can be imported again')
    .option('--search <text>', 'only those whose address contains this')
    .addOption(
      new Option('--subscribed <which>', 'only those who are subscribed, or who are not').choices(['true', 'false']),
    )
    .option('--filter <json>', 'only those who match this filter, written as in a segment')
    .addOption(projectOption())
    .addOption(configOption())
    .action((options: ExportOptions, command: Command) => begin(command, () => exportContacts(options)))
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
