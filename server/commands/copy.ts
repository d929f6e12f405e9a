import type { Command } from 'commander'
import {
  type CopyPlace,
  type CopyProgress,
  type CopyReport,
  copyData,
  readPlaces,
  type TableCount,
} from '../../config/copy-data.ts'
import { type Begin, jsonOption } from './begin.ts'

/** `mailwright copy`. */
export function addCopy(program: Command, begin: Begin): void {
  program
    .command('copy')
    .description('copy all data of a database into an empty one; stop whatever uses them first')
    .option('--from <database>', 'a file such as ./data/mailwright.db, or postgres://user:password@host:5432/name')
    .option('--to <database>', 'the same; to continue an interrupted copy, run the same command again')
    .addOption(jsonOption())
    .action(({ from, to, json }: CopyCommand, command: Command) => {
      const places = readPlaces(from, to)
      if ('problem' in places) command.error(places.problem)
      else begin(command, () => copy(places.from, places.to, json === true))
    })
}

interface CopyCommand {
  readonly from?: string
  readonly to?: string
  readonly json?: true
}

/**
 * Copies one database's data into another, shows its progress, and answers the exit code. The first signal ends it
 * after the current batch, the second at once.
 */
async function copy(from: CopyPlace, to: CopyPlace, json: boolean): Promise<number> {
  const [{ interruptible }, { ProgressLine }] = await Promise.all([
    import('../process/interrupt.ts'),
    import('../process/progress.ts'),
  ])
  return interruptible(async (signal, exitCode) => {
    const line = new ProgressLine(process.stderr, 'rows')
    const onProgress = ({ table, copied, total }: CopyProgress) => {
      if (!json) line.show({ what: table, done: copied, total })
    }
    const report = await copyData(from, to, { signal, onProgress }).finally(() => line.end())
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : textOf(report))
    return report.outcome === 'interrupted' ? exitCode() : Number(report.outcome === 'different')
  })
}

function textOf(report: CopyReport): string {
  switch (report.outcome) {
    case 'interrupted':
      return 'Interrupted. Nothing is lost: the same command continues where this one stopped.\n'
    case 'different': {
      const names = report.tables.filter(({ source, target }) => source !== target).map(({ table }) => table)
      return `${tableText(report.tables)}The rows differ in ${names.join(', ')}: do not use this copy.\n`
    }
    case 'copied': {
      const again =
        report.requeued === 0 ? '' : ` ${report.requeued} mails left in the middle of being sent wait again.`
      return `${tableText(report.tables)}Copied: every table has as many rows as its source.${again}\n`
    }
  }
}

function tableText(tables: readonly TableCount[]): string {
  const line = (cells: readonly [string, string, string]) =>
    `${cells[0].padEnd(NAME_WIDTH)}${cells[1].padStart(NUMBER_WIDTH)}${cells[2].padStart(NUMBER_WIDTH)}\n`
  const rows = tables.map(({ table, source, target }) => line([table, String(source), String(target)]))
  return line(['table', 'source', 'target']) + rows.join('')
}

const NAME_WIDTH = 22
const NUMBER_WIDTH = 12
