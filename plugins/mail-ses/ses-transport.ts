import type { SESv2Client, SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  MailTransport,
  OutgoingMail,
  ProviderAllowance,
  Refused,
  SendResult,
} from '../../core/ports/mail-transport.ts'
import { asciiAddress } from '../../core/values/email-address.ts'
import { yieldToLoop } from '../../core/values/yield-to-loop.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import type { SesSdk } from '../kit/ses/client.ts'
import { EMAIL_TAG } from '../kit/ses/email-tag.ts'
import { hasTaken, troubleOf } from '../kit/ses/trouble.ts'
import { SesAccount } from './account.ts'
import { LARGE, sendInPieces } from './large-body.ts'
import type { SesOptions } from './options.ts'
import { judgeRefusal, ORDERS, TOO_LARGE_HERE } from './refusals.ts'
import { SendRate } from './send-rate.ts'

/** The largest message Amazon accepts, in bytes (Service quotas in Amazon SES). */
const MAX_MESSAGE_BYTES = 40 * 1024 * 1024
/** The fewest slots, so that a rate that is raised later has some to use. */
const MIN_CONCURRENCY = 5
/** How long the start waits for the quota, in milliseconds. */
const QUOTA_WAIT_MS = 5_000

/** Hands mail to Amazon SES, one request per mail. */
export class SesTransport implements MailTransport {
  readonly reach: 'machine' | 'anybody'
  #concurrency: number
  readonly #options: SesOptions
  readonly #sdk: SesSdk
  readonly #client: SESv2Client
  readonly #rate = new SendRate()
  readonly #account: SesAccount
  readonly #limited: LimitedLog

  constructor(options: SesOptions, sdk: SesSdk, client: SESv2Client, log: Log) {
    this.#options = options
    this.#sdk = sdk
    this.#client = client
    this.#limited = new LimitedLog(log, 3)
    this.#concurrency = options.maxConnections
    const host = options.endpoint === undefined ? undefined : URL.parse(options.endpoint)?.hostname
    this.reach = host !== undefined && isLoopback(host.replace(/^\[|\]$/g, '')) ? 'machine' : 'anybody'
    this.#account = new SesAccount(sdk, client, log, (perSecond) => this.#rate.set(perSecond))
  }

  get concurrency(): number {
    return this.#concurrency
  }

  /** Reads how much the account may send; later, when Amazon cannot be asked now. Never rejects. */
  async prepare(): Promise<void> {
    await this.#account.read(AbortSignal.timeout(QUOTA_WAIT_MS)).catch(() => {})
    const { perSecond } = this.#rate
    // more would only wait here and hold up mail of a higher lane
    const useful = perSecond === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_CONCURRENCY, Math.ceil(perSecond))
    this.#concurrency = Math.min(this.#options.maxConnections, useful)
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult> {
    const message = await mail.raw()
    const problem = unfit(message)
    if (problem) return problem
    try {
      await this.#rate.wait(mail.envelope.to.length, signal)
    } catch {
      return refusedBefore('given up before it was sent')
    }
    this.#account.refresh()
    // lets the event loop read once, so that a kept connection which Amazon has closed is noticed and not used
    await yieldToLoop()
    await yieldToLoop()
    return this.#ask(mail, message, signal)
  }

  check(): Promise<void> {
    return this.#account.read()
  }

  allowance(): Promise<ProviderAllowance> {
    return this.#account.allowance()
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  /** Throws when it is unknown whether the mail was sent. */
  async #ask(mail: OutgoingMail, message: Uint8Array, signal: AbortSignal): Promise<SendResult> {
    const isLarge = message.length > LARGE
    const command = new this.#sdk.SendEmailCommand(this.#request(mail, isLarge ? NOTHING : message))
    if (isLarge) sendInPieces(command, message)
    let id: unknown
    try {
      id = (await this.#client.send(command, { abortSignal: signal })).MessageId
    } catch (error) {
      if (!hasTaken(error)) return this.#refusal(error)
    }
    if (typeof id !== 'string' || id === '') {
      // its reports name the mail by our tag, too
      this.#limited.warn('id', 'Amazon SES took a mail, but its answer has no id', {})
      return { outcome: 'accepted', deliveryPending: true }
    }
    return { outcome: 'accepted', id, messageId: `<${id}@${hostOf(this.#options.region)}>`, deliveryPending: true }
  }

  #request({ id, envelope, from }: OutgoingMail, message: Uint8Array): SendEmailCommandInput {
    const { configurationSet, feedbackForwarding } = this.#options
    return {
      FromEmailAddress: asciiAddress(from.email),
      // only the addresses named here get the mail, whatever its header fields say
      Destination: { ToAddresses: envelope.to.map(asciiAddress) },
      Content: { Raw: { Data: message } },
      EmailTags: [{ Name: EMAIL_TAG, Value: id }],
      ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
      ...(feedbackForwarding && envelope.from !== ''
        ? { FeedbackForwardingEmailAddress: asciiAddress(envelope.from) }
        : {}),
    }
  }

  #refusal(error: unknown): Refused {
    const trouble = troubleOf(error)
    if (trouble.kind === 'unsent') return refusedBefore(`Amazon SES cannot be reached: ${trouble.reason}`)
    const { reason } = trouble
    const judged = trouble.kind === 'answered' ? judgeRefusal(trouble.name, trouble.status, reason) : undefined
    if (trouble.kind !== 'answered' || judged === undefined) {
      throw new Error(`Amazon SES did not say whether it took the mail: ${reason}`, { cause: error })
    }
    if (trouble.name === 'AccessDeniedException' && error instanceof Error) {
      this.#limited.warn(trouble.name, 'Amazon SES denies this server a mail', { reason: error.message })
    }
    return { outcome: 'refused', ...judged, reason: `${reason} (${trouble.name})` }
  }
}

const NOTHING = new Uint8Array()

/** The host that Amazon puts after the `@` of the Message-ID that replaces ours. */
function hostOf(region: string): string {
  return region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`
}

function unfit(message: Uint8Array): Refused | undefined {
  if (message.length > MAX_MESSAGE_BYTES) {
    const reason = `the message has ${message.length} bytes, and Amazon SES takes ${MAX_MESSAGE_BYTES}`
    return { outcome: 'refused', ...TOO_LARGE_HERE, reason }
  }
  const order = orderIn(message)
  if (order === undefined) return undefined
  // such a field could choose another configuration set or sender, or make this mail count as another
  return { outcome: 'refused', ...ORDERS, reason: `the header field ${order} is for Amazon SES, not for mail` }
}

/** The first header field that would tell Amazon what to do. */
function orderIn(message: Uint8Array): string | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const end = bytes.indexOf('\r\n\r\n')
  return /^X-SES-[!-9;-~]*/im.exec(bytes.toString('latin1', 0, end < 0 ? bytes.length : end))?.[0]
}

function refusedBefore(reason: string): Refused {
  return { outcome: 'refused', permanent: false, stage: 'connect', reason }
}
