import { type Command, InvalidArgumentError } from 'commander'
import { type Begin, type Common, configOption, jsonOption, readName } from './begin.ts'

interface DemoCommand extends Common {
  readonly name: string
  readonly contacts: number
  readonly seed: number
}

/** `mailwright demo`. */
export function addDemo(program: Command, begin: Begin): void {
  program
    .command('demo')
    .description('make a project with contacts, campaigns and 60 days of history, for looking around; sends nothing')
    .option('--name <name>', 'of the project', readName, 'Demo')
    .option('--contacts <number>', 'how many, 10 to 3000', within(10, 3000), 2000)
    .option('--seed <number>', 'another seed makes other people', within(0, 2 ** 31), 1)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(({ config, json, ...options }: DemoCommand, command: Command) =>
      begin(command, async () => {
        const { demo } = await import('../demo/demo.ts')
        return demo({ ...options, config, json: json === true })
      }),
    )
}

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}
