import type { Command } from 'commander'
import { programName } from '../../core/values/program-name.ts'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright migrate`. */
export function addMigrate(program: Command, begin: Begin): void {
  const migrate = program.command('migrate').description('the migrations, which bring a database to this version')
  migrate
    .command('status')
    .description(
      'list the migrations that have run and those that are pending, and exit with 1 if any is; nothing is changed',
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => status(options)))
  migrate
    .command('up')
    .description('run those that wait, as a server does when it starts; makes the database if there is none')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => up(options)))
}

/** Ends with 1 unless the database is of this version. */
async function status({ config, json }: Common): Promise<number> {
  const [{ findSchema }, { printRecords }] = await Promise.all([
    import('../../config/migrations.ts'),
    import('../process/print-records.ts'),
  ])
  const { store, schema } = await findSchema(config)
  const { applied, pending, unknown, isBeingCopied } = schema
  const isCurrent = pending.length + unknown.length === 0 && !isBeingCopied
  if (json) {
    process.stdout.write(`${JSON.stringify({ store, isCurrent, ...schema })}\n`)
    return Number(!isCurrent)
  }
  const rows = [
    ...applied.map(({ name, at }) => ({ name, state: unknown.includes(name) ? 'unknown' : 'run', at })),
    ...pending.map((name) => ({ name, state: 'waits', at: null })),
  ]
  printRecords(rows, ['name', 'state', 'at'], false)
  const lines: string[] = []
  if (isBeingCopied) lines.push(`It holds an unfinished copy of another database: run \`${programName()} copy\` again.`)
  if (unknown.length > 0) lines.push('A newer version has written it: this one refuses to open it.')
  else if (applied.length === 0)
    lines.push(`It is empty: \`${programName()} migrate up\` or the start of the server makes its tables.`)
  else if (pending.length > 0) {
    lines.push(
      `${pending.length} wait: back the database up, then \`${programName()} migrate up\` or start the server.`,
    )
  }
  if (lines.length === 0) lines.push('The database is of this version.')
  process.stdout.write(`\n${store}\n${lines.join('\n')}\n`)
  return Number(!isCurrent)
}

async function up({ config, json }: Common): Promise<number> {
  const { bringUp } = await import('../../config/migrations.ts')
  const done = await bringUp(config)
  const lines = [
    ...done.ran,
    done.ran.length === 0 ? 'Nothing waited.' : `${done.ran.length} migrations were run.`,
    done.store,
  ]
  process.stdout.write(json ? `${JSON.stringify(done)}\n` : `${lines.join('\n')}\n`)
  return 0
}
