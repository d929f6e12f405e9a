import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Begin, type Common, jsonOption, readId, urlOption } from './begin.ts'

interface SendOptions extends Common {
  readonly to?: readonly string[]
  readonly from?: string
  readonly subject?: string
  readonly body?: string
  readonly template?: string
  readonly data?: Record<string, unknown>
  readonly idempotencyKey?: string
}

interface SendCampaignOptions extends Common {
  readonly wait: boolean
}

/** `mailwright send`. */
export function addSend(program: Command, begin: Begin): void {
  const send = program
    .command('send')
    // the options of `send campaign` are its own
    .enablePositionalOptions()
    .description(
      'send a mail through a running server; without --body and --template the HTML is read from the standard input',
    )
    .option('--to <address...>', 'who gets it: each address gets a separate mail; "Ada <ada@example.org>" works too')
    .option('--from <address>', 'the sender; its domain must be verified for the project')
    .option('--subject <text>', 'may have placeholders such as {{ name }}')
    .option('--body <html>', 'may have placeholders; - reads the standard input')
    .addOption(
      new Option('--template <id>', 'a template, by its id or slug: it fills in what is left out here').argParser(
        readId,
      ),
    )
    .addOption(new Option('--data <json>', 'an object of values for the placeholders').argParser(readObject))
    .option('--idempotency-key <key>', 'repeating the command with the same key within 24 hours sends only once')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: SendOptions, command: Command) => {
      const isTyped = options.body === undefined && options.template === undefined && process.stdin.isTTY
      const missing = [
        ...(options.to === undefined ? ['--to is missing: name who gets it'] : []),
        ...(isTyped ? ['the text is missing: give --body or --template, or pipe it in with | or <'] : []),
      ]
      if (missing.length > 0) command.error(`error: ${missing.join('\n')}`)
      else begin(command, () => sendMail(options))
    })
  send
    .command('campaign')
    .description('start a campaign, or resume a paused one, and show its progress until it is sent')
    .argument('<id>', 'its id', readId)
    .option('--no-wait', 'exit as soon as it has started')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((id: string, options: SendCampaignOptions, command: Command) =>
      begin(command, () => sendCampaign(id, options)),
    )
}

/** As much may one mail have. */
const MEGABYTES = 40

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // reported below
  }
  throw new InvalidArgumentError(`It must be an object in JSON, such as '{"name":"Ada"}'.`)
}

async function sendMail({ url, json, body: given, idempotencyKey, ...mail }: SendOptions): Promise<number> {
  const [{ withServer, answered }, { readInput }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/read-input.ts'),
  ])
  return withServer(url, async (client) => {
    const isRead = given === '-' || (given === undefined && mail.template === undefined)
    const body = isRead ? await (await readInput('-', MEGABYTES, 'no mail may be so large')).text() : given
    const { to = [], from = null, subject = null, template = null, data = null } = mail
    const { data: sent } = await answered(
      client.POST('/v1/send', {
        body: { to: [...to], from, subject, body: body ?? null, template, data },
        params: { header: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey } },
      }),
    )
    if (json) process.stdout.write(`${JSON.stringify(sent)}\n`)
    else for (const { email, contact } of sent.emails) process.stdout.write(`${email}  accepted for ${contact.email}\n`)
    return 0
  })
}

async function sendCampaign(id: string, { url, json, wait }: SendCampaignOptions): Promise<number> {
  const [{ withServer }, { startCampaign, followCampaign }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/campaign.ts'),
  ])
  return withServer(url, async (client) => {
    const started = await startCampaign(client, id)
    if (wait) return followCampaign(client, started, json === true)
    const { name, status } = started.campaign
    process.stdout.write(json ? `${JSON.stringify(started.campaign)}\n` : `"${name}" is ${status}.\n`)
    return 0
  })
}
