import type { Command } from 'commander'
import { readPlaces } from '../../config/copy-data.ts'
import type { Begin } from './begin.ts'

/** `mailwright copy`. */
export function addCopy(program: Command, begin: Begin): void {
  program
    .command('copy')
    .description('copy all data of a database into an empty one; what uses them must be stopped')
    .option('--from <database>', 'a file such as ./data/mailwright.db, or postgres://user:password@host:5432/name')
    .option('--to <database>', 'the same; a copy that was interrupted is continued by the same command')
    .action(({ from, to }: { readonly from?: string; readonly to?: string }, command: Command) => {
      const places = readPlaces(from, to)
      if ('problem' in places) command.error(places.problem)
      else begin(command, async () => (await import('../process/copy.ts')).copy(places.from, places.to))
    })
}
