import type { Command } from 'commander'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

interface RestoreCommand extends Common {
  readonly force?: true
  readonly resume?: true
}

/** `mailwright restore`. */
export function addRestore(program: Command, begin: Begin): void {
  program
    .command('restore')
    .argument('<file>', 'a file made by the command backup')
    .description('replace the database with a backup; stop whatever uses it first')
    .option('--force', 'move a database that is there aside')
    .option('--resume', 'continue campaigns where they were, although what was sent since is sent again')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((file: string, options: RestoreCommand, command: Command) => begin(command, () => restore(file, options)))
}

async function restore(file: string, { config, force, resume, json }: RestoreCommand): Promise<number> {
  const { restoreData } = await import('../../config/backup-data.ts')
  const restored = await restoreData(file, { config, force: force === true, resume: resume === true })
  const { madeAt, mails, waiting, files, held, replaced } = restored
  if (json) {
    process.stdout.write(`${JSON.stringify(restored)}\n`)
    return 0
  }
  const lines = [`Restored ${mails} mails and ${files} files as they were at ${madeAt.toISOString()}.`]
  if (replaced !== undefined) lines.push(`The database that was there is now ${replaced}.`)
  if (waiting > 0) {
    lines.push(
      `${waiting} mails waited then, and go out when the server starts: some a second time, if they were sent after the backup.`,
    )
  }
  if (held > 0) {
    lines.push(`${held} campaigns and series are held, and their mails with them: resume, schedule or cancel them.`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}
