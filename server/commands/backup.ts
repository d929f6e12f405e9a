import type { Command } from 'commander'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

interface BackupCommand extends Common {
  readonly force?: true
}

/** `mailwright backup`. */
export function addBackup(program: Command, begin: Begin): void {
  program
    .command('backup')
    .argument('<file>', 'the file to create')
    .description('back up the database and the uploaded files into one file, while the server runs')
    .option('--force', 'overwrite the file if it exists')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((file: string, options: BackupCommand, command: Command) => begin(command, () => backUp(file, options)))
}

async function backUp(file: string, { config, force, json }: BackupCommand): Promise<number> {
  const { backUpData } = await import('../../config/backup-data.ts')
  const made = await backUpData(file, { config, force: force === true })
  const { mails, waiting, files, missing } = made
  const lost = missing === 0 ? '' : `${missing} uploaded files are named by the database and were not found.\n`
  process.stdout.write(
    json
      ? `${JSON.stringify({ file, ...made })}\n`
      : `Backed up ${mails} mails, of which ${waiting} wait, and ${files} files: ${file}\n`,
  )
  if (lost !== '') process.stderr.write(lost)
  return 0
}
