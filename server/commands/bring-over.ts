import { type Command, Option } from 'commander'
import { ENCODINGS, type Encoding } from '../../core/contacts/csv-text.ts'
import { type Begin, type Common, jsonOption, urlOption } from './begin.ts'

interface BringOptions extends Common {
  readonly dryRun?: true
}

interface ListmonkOptions extends BringOptions {
  readonly segment?: string
  readonly topic?: string
  readonly unsubscribed?: true
  readonly encoding?: Encoding
}

interface FileOptions extends BringOptions {
  readonly groups?: readonly string[]
  readonly as?: 'topics' | 'segments'
  readonly permission?: string
  readonly consentText?: string
  readonly status?: (typeof STATES)[number]
  readonly encoding?: Encoding
}

/** The services whose exported files are read, and the files. */
const FILES = {
  mailchimp: ['Mailchimp', 'the zip of an audience, or one CSV file of it'],
  brevo: ['Brevo', 'a CSV file of contacts, with the status of their subscription'],
  sendy: ['Sendy', 'a CSV file of a list'],
  keila: ['Keila', 'a CSV file of contacts'],
  mailerlite: ['MailerLite', 'a CSV file of subscribers, with the column Status'],
} as const

/** The states that a file may have for all in it. */
const STATES = ['subscribed', 'unsubscribed', 'unconfirmed', 'bounced', 'complained'] as const

/** `mailwright bring-over`. */
export function addBringOver(program: Command, begin: Begin): void {
  const over = program
    .command('bring-over')
    .description(
      'move an audience from another service to a running server; what is refused is reported, and the rest continues',
    )
  const add = (name: string, description: string) =>
    over.command(name).description(description).addOption(dryRunOption()).addOption(urlOption()).addOption(jsonOption())
  add(
    'plunk',
    "contacts, templates and segments by Plunk's API: PLUNK_KEY, and PLUNK_URL for a Plunk that you host",
  ).action((options: BringOptions, command: Command) => begin(command, () => fromPlunk(options)))
  add(
    'resend',
    "contacts, topics, segments, suppressions, templates, sent broadcasts and domains by Resend's API: RESEND_API_KEY, and RESEND_URL for another address of it",
  ).action((options: BringOptions, command: Command) => begin(command, () => fromResend(options)))
  add('listmonk', 'subscribers from a file exported by listmonk')
    .argument('<file>', 'with the columns email and status, and name and attributes; - reads the standard input')
    .option('--segment <name>', 'put those who are subscribed into this static segment, as they were in a list')
    .option('--topic <name>', 'give those who are subscribed this topic, which is made if there is none of this name')
    .option('--unsubscribed', 'unsubscribe everyone in the file, or only from --topic: for people who left a list')
    .addOption(encodingOption())
    .action((file: string, options: ListmonkOptions, command: Command) =>
      begin(command, () => fromListmonk(file, options)),
    )
  for (const [name, [service, files]] of Object.entries(FILES)) {
    add(name, `people from files exported by ${service}`)
      .argument('<file>', `${files}; several in a zip; - reads the standard input`)
      .option('--groups <column...>', 'further columns that list groups')
      .addOption(new Option('--as <what>', 'what groups become here').choices(['topics', 'segments']))
      .option('--permission <column>', 'the column that says who agreed to mail: others come unsubscribed')
      .option('--consent-text <text>', 'the words they agreed to, kept as proof with each topic that they get')
      .addOption(new Option('--status <which>', 'the state of all in a file that does not say it').choices(STATES))
      .addOption(encodingOption())
      .action((file: string, options: FileOptions, command: Command) =>
        begin(command, () => fromFiles(name as keyof typeof FILES, file, options)),
      )
  }
}

function dryRunOption(): Option {
  return new Option('--dry-run', 'say what would come and what not, and write nothing')
}

function encodingOption(): Option {
  return new Option(
    '--encoding <name>',
    'the encoding of CSV files, where names come out wrong; docs/contacts.md',
  ).choices(ENCODINGS)
}

async function fromPlunk(options: BringOptions): Promise<number> {
  const { bringFromPlunk } = await import('../remote/other-services.ts')
  return bringFromPlunk(targetOf(options))
}

async function fromResend(options: BringOptions): Promise<number> {
  const { bringFromResend } = await import('../remote/other-services.ts')
  return bringFromResend(targetOf(options))
}

async function fromListmonk(file: string, options: ListmonkOptions): Promise<number> {
  const { bringFromListmonk } = await import('../remote/other-services.ts')
  const { segment, topic, unsubscribed, encoding } = options
  return bringFromListmonk(targetOf(options), { file, segment, topic, unsubscribed, encoding })
}

async function fromFiles(vendor: keyof typeof FILES, file: string, options: FileOptions): Promise<number> {
  const { bringFromFiles } = await import('../remote/other-services.ts')
  const { groups = [], as: groupsAre, permission, status, consentText, encoding } = options
  const target = { ...targetOf(options), consentText }
  return bringFromFiles(target, vendor, { file, groups, groupsAre, permission, status, encoding })
}

function targetOf({ url, json, dryRun }: BringOptions) {
  return { url, json: json === true, dryRun: dryRun === true }
}
