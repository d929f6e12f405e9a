import { type Command, InvalidArgumentError, Option } from 'commander'
import { VARIANTS, type VariantName } from '../../core/ports/store/campaigns.ts'
import { MAILBOX_SECURITIES } from '../../core/ports/store/seeds.ts'
import { type Begin, type Common, jsonOption, readAddress, readId, urlOption } from './begin.ts'

interface AddOptions extends Common {
  readonly host: string
  readonly port?: number
  readonly security: (typeof MAILBOX_SECURITIES)[number]
  readonly user?: string
}

interface TestOptions extends Common {
  readonly minutes: number
  readonly variant?: VariantName
  readonly wait: boolean
}

/** `mailwright seeds`. */
export function addSeeds(program: Command, begin: Begin): void {
  const seeds = program.command('seeds').description('the seed list of a project, in a running server')
  asking(seeds.command('list').description('list its mailboxes')).action((options: Common, command: Command) =>
    begin(command, async () => (await work()).listMailboxes(options)),
  )
  asking(
    seeds
      .command('add')
      .description('add a mailbox; its password is asked for, or read from the standard input')
      .argument('<address>', 'the address at the receiver', readAddress)
      .requiredOption('--host <host>', 'its IMAP server')
      .addOption(new Option('--port <port>', 'its port, where it is an unusual one').argParser(readNumber(1, 65_535)))
      .addOption(new Option('--security <how>', 'how it is encrypted').choices(MAILBOX_SECURITIES).default('tls'))
      .option('--user <name>', 'the user name there, where it is not the address'),
  ).action((address: string, options: AddOptions, command: Command) =>
    begin(command, async () => (await work()).addMailbox(address, options)),
  )
  asking(
    seeds.command('remove').description('remove a mailbox with its password').argument('<mailbox>', 'its id', readId),
  ).action((id: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).removeMailbox(id, options)),
  )
  asking(
    seeds
      .command('test')
      .description('send a campaign to the seed list, and print where it landed')
      .argument('<campaign>', 'its id', readId)
      .addOption(
        new Option('--minutes <number>', 'for how long its mail is waited for')
          .default(15)
          .argParser(readNumber(1, 120)),
      )
      .addOption(new Option('--variant <letter>', 'the variant to send').choices(VARIANTS))
      .option('--no-wait', 'end once it is sent; `seeds results` shows where it landed'),
  ).action((id: string, options: TestOptions, command: Command) =>
    begin(command, async () => (await work()).testCampaign(id, options)),
  )
  asking(
    seeds
      .command('results')
      .description('print where the last test of a campaign landed')
      .argument('<campaign>', 'its id', readId),
  ).action((id: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).lastResults(id, options)),
  )
}

function asking(command: Command): Command {
  return command.addOption(urlOption()).addOption(jsonOption())
}

function readNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number, ${least} to ${most}.`)
  }
}

function work() {
  return import('../remote/seeds.ts')
}
