import type { Command } from 'commander'
import type { Recounted } from '../../config/stored-figures.ts'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** How many differences of a project are printed. */
const PRINTED = 20

/** `mailwright rebuild-stats`. */
export function addRebuildStats(program: Command, begin: Begin): void {
  program
    .command('rebuild-stats')
    .description('recount the figures by day, and correct what differs')
    .addOption(configOption())
    .addOption(jsonOption())
    .option('--check', 'only report what differs, and end with 1 if anything does')
    .action(({ config, json, check }: Common & { readonly check?: true }, command: Command) =>
      begin(command, () => (json ? printJson : printText)(config, check === true)),
    )
}

/**
 * Counts all figures anew and prints what differs. Answers the exit code: with `checkOnly` nothing is changed, and it is
 * 1 when something differs.
 */
async function printText(config: string | undefined, checkOnly: boolean): Promise<number> {
  const { recountFigures } = await import('../../config/stored-figures.ts')
  let found = 0
  await recountFigures(config, !checkOnly, (recounted) => {
    found += recounted.differences.length
    process.stdout.write(textOf(recounted))
  })
  if (found === 0) process.stdout.write('All figures match the rows.\n')
  else if (checkOnly) process.stdout.write('Run the command without --check to correct this.\n')
  else process.stdout.write('Corrected.\n')
  return Number(checkOnly && found > 0)
}

/** The same as one object, with every difference. */
async function printJson(config: string | undefined, checkOnly: boolean): Promise<number> {
  const { recountFigures } = await import('../../config/stored-figures.ts')
  const differences: object[] = []
  await recountFigures(config, !checkOnly, ({ project, differences: found }) => {
    for (const { figure, name, at, days, kept, counted } of found) {
      differences.push({ project, figure, name: name === '' ? null : name, at, days, kept, counted })
    }
  })
  const corrected = !checkOnly && differences.length > 0
  process.stdout.write(`${JSON.stringify({ differences, corrected })}\n`)
  return Number(checkOnly && differences.length > 0)
}

function textOf({ project, differences }: Recounted): string {
  const lines = differences.slice(0, PRINTED).map(({ figure, name, at, days, kept, counted }) => {
    const when = days ? `the day ${at.toISOString().slice(0, 10)}` : at.toISOString()
    return `${project}: ${figure}${name === '' ? '' : ` (${name})`} of ${when}: ${kept} kept, ${counted} counted\n`
  })
  const more = differences.length - PRINTED
  return lines.join('') + (more > 0 ? `${project}: and ${more} more\n` : '')
}
