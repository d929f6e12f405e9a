import type { Command } from 'commander'
import { type Begin, type Common, jsonOption, urlOption } from './begin.ts'

/** `mailwright import`. */
export function addImport(program: Command, begin: Begin): void {
  program
    .command('import')
    .description(
      'make contacts of a CSV file by a running server, show the progress, and name the rows that were refused',
    )
    .argument(
      '<file>',
      'with a column named email; every other column becomes data of the contact; - reads the standard input',
    )
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((file: string, options: Common, command: Command) => begin(command, () => importFile(file, options)))
}

async function importFile(file: string, { url, json }: Common): Promise<number> {
  const [{ withServer }, { importContacts }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/import.ts'),
  ])
  return withServer(url, (client) => importContacts(client, file, json === true))
}
