import type { Command } from 'commander'
import { type Begin, type Common, configOption } from './begin.ts'

/** `mailwright rebuild-stats`. */
export function addRebuildStats(program: Command, begin: Begin): void {
  program
    .command('rebuild-stats')
    .description('count the figures by day anew, and put right what differs')
    .addOption(configOption())
    .option('--check', 'only tell what differs, and end with 1 if something does')
    .action(({ config, check }: Common & { readonly check?: true }, command: Command) =>
      begin(command, async () => (await import('../process/rebuild-stats.ts')).rebuildStats(config, check === true)),
    )
}
