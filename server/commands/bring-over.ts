import type { Command } from 'commander'
import { type Begin, type Common, jsonOption, urlOption } from './begin.ts'

interface ListmonkOptions extends Common {
  readonly segment?: string
  readonly topic?: string
  readonly unsubscribed?: true
}

/** `mailwright bring-over`. */
export function addBringOver(program: Command, begin: Begin): void {
  const over = program
    .command('bring-over')
    .description(
      'move an audience from another service to a running server; what is refused is reported, and the rest continues',
    )
  over
    .command('plunk')
    .description("contacts, templates and segments by Plunk's API: PLUNK_KEY, and PLUNK_URL for a Plunk that you host")
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => fromPlunk(options)))
  over
    .command('resend')
    .description("contacts and topics by Resend's API: RESEND_API_KEY, and RESEND_URL for another address of it")
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => fromResend(options)))
  over
    .command('listmonk')
    .description('subscribers from a file exported by listmonk')
    .argument('<file>', 'with the columns email and status, and name and attributes; - reads the standard input')
    .option('--segment <name>', 'put those who are subscribed into this static segment, as they were in a list')
    .option('--topic <name>', 'give those who are subscribed this topic, which is made if there is none of this name')
    .option('--unsubscribed', 'unsubscribe everyone in the file, or only from --topic: for people who left a list')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((file: string, options: ListmonkOptions, command: Command) =>
      begin(command, () => fromListmonk(file, options)),
    )
}

async function fromPlunk({ url, json }: Common): Promise<number> {
  const { bringFromPlunk } = await import('../remote/other-services.ts')
  return bringFromPlunk({ url, json: json === true })
}

async function fromResend({ url, json }: Common): Promise<number> {
  const { bringFromResend } = await import('../remote/other-services.ts')
  return bringFromResend({ url, json: json === true })
}

async function fromListmonk(file: string, { url, json, ...options }: ListmonkOptions): Promise<number> {
  const { bringFromListmonk } = await import('../remote/other-services.ts')
  return bringFromListmonk({ url, json: json === true }, { file, ...options })
}
