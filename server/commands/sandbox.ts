import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Begin, type Common, jsonOption, readAddress, readId, urlOption } from './begin.ts'

interface ListOptions extends Common {
  readonly to?: string
  readonly since?: string
}

interface WaitOptions extends ListOptions {
  readonly seconds: number
}

/** `mailwright sandbox`. */
export function addSandbox(program: Command, begin: Begin): void {
  const sandbox = program.command('sandbox').description('mail that was caught instead of sent, in a running server')
  narrowed(asking(sandbox.command('list').description('list it, the newest first'))).action(
    (options: ListOptions, command: Command) => begin(command, async () => (await work()).listCaught(options)),
  )
  narrowed(asking(sandbox.command('wait').description('print the newest mail, as soon as there is one')))
    .addOption(
      new Option('--seconds <number>', 'for how long; then it exits with 1').default(30).argParser(readSeconds),
    )
    .action((options: WaitOptions, command: Command) =>
      begin(command, async () => (await work()).waitForCaught(options)),
    )
  asking(
    sandbox.command('show').description('print one with its header and its text').argument('<mail>', 'its id', readId),
  ).action((id: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).showCaught(id, options)),
  )
  asking(
    sandbox
      .command('clear')
      .description('clear it, or one mail of it; they stay among the mails of the project')
      .argument('[mail]', 'the id of the one', readId),
  ).action((id: string | undefined, options: Common, command: Command) =>
    begin(command, async () => (await work()).clearCaught(id, options)),
  )
}

function asking(command: Command): Command {
  return command.addOption(urlOption()).addOption(jsonOption())
}

function narrowed(command: Command): Command {
  return command
    .option('--to <address>', 'only mail to this address', readAddress)
    .option('--since <time>', 'only mail that was accepted at this time or later (ISO 8601)', readTime)
}

function readTime(text: string): string {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new InvalidArgumentError('It must be a time such as 2026-05-01T12:00:00Z.')
}

function readSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3600) return Number(text)
  throw new InvalidArgumentError('It must be a number of seconds, 0 to 3600.')
}

function work() {
  return import('../remote/sandbox.ts')
}
