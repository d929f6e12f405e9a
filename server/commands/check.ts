import type { Command } from 'commander'
import { type Begin, type Common, configOption } from './begin.ts'

/** `mailwright check`. */
export function addCheck(program: Command, begin: Begin): void {
  program
    .command('check')
    .description('check the configuration; nothing is opened')
    .addOption(configOption())
    .action(({ config }: Common, command: Command) => begin(command, () => check(config)))
}

async function check(path: string | undefined): Promise<number> {
  const { loadConfig } = await import('../../config/index.ts')
  const { file } = await loadConfig({ path })
  process.stdout.write(`The configuration is in order (${file ?? 'no file; the environment and the defaults'}).\n`)
  return 0
}
