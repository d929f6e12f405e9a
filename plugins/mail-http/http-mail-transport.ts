import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../core/ports/clock.ts'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  Accepted,
  Conversation,
  MailTransport,
  OutgoingMail,
  Refusal,
  Refused,
  SendResult,
} from '../../core/ports/mail-transport.ts'
import type { WebhookAnswer, WebhookSender } from '../../core/ports/webhook-sender.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import { accepts, judgeStatus, NOT_NOW, OPERATOR, readJson, retryAfter, valueAt } from './answers.ts'
import { encode } from './encode.ts'
import type { HttpMailOptions } from './options.ts'
import type { MailOfRequest } from './values.ts'

/** Whom one request delivers to. */
type Recipients = Pick<OutgoingMail, 'to' | 'cc' | 'bcc'>
type Answered = Extract<WebhookAnswer, { outcome: 'answered' }>

/** As long as a mail waits here for the time that `Retry-After` says; beyond it, the engine waits. */
const MAX_WAIT_MS = 10_000
const CHECK_MS = 9_000
/** How much of an answer is kept. */
const MAX_REASON = 500

/** Hands mail to a provider by one HTTP request, made from the template. */
export class HttpMailTransport implements MailTransport {
  readonly concurrency: number
  readonly reach: 'machine' | 'anybody'
  readonly #options: HttpMailOptions
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #webhooks: WebhookSender
  readonly #clock: Clock
  readonly #log: LimitedLog
  /** No request is made before this time of the monotonic clock. */
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(options: HttpMailOptions, webhooks: WebhookSender, clock: Clock, log: Log) {
    this.#options = options
    this.#url = new URL(options.url)
    this.#webhooks = webhooks
    this.#clock = clock
    this.#log = new LimitedLog(log, 3)
    this.concurrency = options.maxConnections
    this.reach = isLoopback(this.#url.hostname.replace(/^\[|\]$/g, '')) ? 'machine' : 'anybody'
    const { auth, headers } = options
    const login = auth && `Basic ${Buffer.from(`${auth.user}:${auth.pass}`).toString('base64')}`
    this.#headers = { ...headers, ...(login === undefined ? {} : { authorization: login }) }
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult> {
    const lacking = this.#lacking(mail)
    if (lacking !== undefined) {
      const reason = `the body of this transport has no place for ${lacking}, which the mail has`
      return { outcome: 'refused', permanent: true, stage: 'data', code: 554, enhancedCode: '5.6.0', reason }
    }
    const [first, ...more] = this.#requests(mail)
    if (first === undefined) return later('it has no recipients')
    if (more.length === 0) return this.#post(mail, first, signal)
    return this.#postAll(mail, [first, ...more], signal)
  }

  /** Any answer will do, since it shows that the provider can be reached. */
  async check(): Promise<void> {
    const timeout = Math.min(this.#options.timeout * 1000, CHECK_MS)
    const request = { url: `${this.#url.origin}/`, method: 'HEAD', headers: {}, timeout, redirect: 'manual' } as const
    const answer = await this.#webhooks.send(request, AbortSignal.timeout(timeout))
    if (answer.outcome !== 'answered') throw new Error(`${this.#url.host} cannot be reached: ${answer.reason}`)
  }

  /** The part of the mail that would be lost on the way. */
  #lacking({ html, text, replyTo, headers, attachments }: OutgoingMail): string | undefined {
    const { uses } = this.#options.template
    if (html !== undefined && !uses.has('html')) return 'HTML'
    if (html === undefined && text !== '' && !uses.has('text')) return 'text'
    if (replyTo.length > 0 && !uses.has('replyTo')) return 'replyTo'
    if (replyTo.length > 1 && !FOR_SEVERAL.some((place) => uses.has(place))) return 'several addresses of replyTo'
    if (headers.length > 0 && !uses.has('headers')) return 'headers'
    return attachments.length > 0 && !uses.has('attachments') ? 'attachments' : undefined
  }

  /**
   * One request for all whom the template has a place for. Everybody else gets one, and so do blind copies when they
   * alone are left, since they must not see each other.
   */
  #requests({ to, cc, bcc }: OutgoingMail): readonly Recipients[] {
    const { uses } = this.#options.template
    const together = {
      to,
      cc: uses.has('cc') ? cc : [],
      bcc: uses.has('bcc') && to.length > 0 ? bcc : [],
    }
    const apart = [...cc, ...bcc].filter((each) => !together.cc.includes(each) && !together.bcc.includes(each))
    const alone = apart.map((each) => ({ to: [each], cc: [], bcc: [] }))
    return to.length > 0 ? [together, ...alone] : alone
  }

  /** Throws only when the outcome is unknown and no recipient has the mail yet. */
  async #postAll(mail: OutgoingMail, requests: readonly Recipients[], signal: AbortSignal): Promise<SendResult> {
    const refused: (Refusal & { readonly recipient: string })[] = []
    let accepted: Accepted | undefined
    let last: Refused | undefined
    for (const recipients of requests) {
      const result = await this.#post(mail, recipients, signal).catch((error: Error) => {
        if (accepted === undefined) throw error
        return later(error.message)
      })
      if (result.outcome === 'accepted') accepted ??= result
      else {
        last = result
        const { permanent, stage, code, enhancedCode, reason } = result
        const refusal = { permanent, stage, reason, ...(code && { code }), ...(enhancedCode && { enhancedCode }) }
        const { to, cc, bcc } = recipients
        refused.push(...[...to, ...cc, ...bcc].map(({ email }) => ({ ...refusal, recipient: email })))
      }
    }
    if (accepted === undefined) return { ...(last ?? later('it has no recipients')), refused }
    return refused.length === 0 ? accepted : { ...accepted, refused }
  }

  /** Throws when it is unknown whether the mail was taken. */
  async #post(mail: OutgoingMail, recipients: Recipients, signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return later('given up before it was sent')
    const delayed = await this.#wait(signal)
    if (delayed) return delayed
    const { method, format, timeout, idempotencyHeader, template } = this.#options
    const { body, contentType } = await encode(format, template.render(forRequest(mail, recipients)) ?? {})
    const headers = {
      'content-type': contentType,
      ...this.#headers,
      ...(idempotencyHeader === undefined ? {} : { [idempotencyHeader]: keyOf(mail, recipients) }),
    }
    const request = { url: this.#url.href, method, headers, body, timeout: timeout * 1000, redirect: 'manual' } as const
    const answer = await this.#webhooks.send(request, signal)
    if (answer.outcome === 'answered') return this.#judge(answer)
    if (answer.outcome === 'forbidden') return { outcome: 'refused', ...OPERATOR, reason: answer.reason }
    // its status says what became of the mail, though the rest of the answer is lost
    if (answer.status !== undefined) return this.#judge({ status: answer.status, headers: {}, body: '' })
    if (answer.unsent) return later(`${this.#url.host} cannot be reached: ${answer.reason}`)
    throw new Error(`${this.#url.host} did not say whether it took the mail: ${answer.reason}`)
  }

  #judge(answer: Pick<Answered, 'status' | 'headers' | 'body'>): SendResult {
    const { status, body } = answer
    const said = this.#said(body)
    const reason = `${status} ${said}`.trim()
    const conversation = this.#conversation(status, said)
    if (accepts(this.#options, status)) {
      const { acceptedWhen, id: path, reportsDelivery } = this.#options
      const read = readJson(body)
      if (acceptedWhen && valueAt(read, acceptedWhen.path) !== acceptedWhen.is) {
        return { outcome: 'refused', permanent: false, stage: 'data', code: 451, reason, conversation }
      }
      const id = path === undefined ? undefined : valueAt(read, path)
      const isId = (typeof id === 'string' && id !== '') || typeof id === 'number'
      if (path !== undefined && !isId)
        this.#log.warn('id', 'the provider took a mail, but its answer has no id', { path })
      const pending = reportsDelivery ? { deliveryPending: true } : {}
      return { outcome: 'accepted', response: reason, conversation, ...(isId ? { id: String(id) } : {}), ...pending }
    }
    const judged = judgeStatus(this.#options, status)
    if (judged === undefined) {
      const message = `${this.#url.host} did not say whether it took the mail: ${reason}`
      throw Object.assign(new Error(message), { conversation })
    }
    if (judged === NOT_NOW) this.#hold(retryAfter(answer.headers['retry-after'], this.#clock.now()))
    // at this stage the mail's record shows what follows the colon
    const shown = judged.stage === 'connect' ? `the provider refuses this server: ${reason}` : reason
    return { outcome: 'refused', ...judged, reason: shown, conversation }
  }

  #hold(seconds: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + seconds * 1000)
  }

  async #wait(signal: AbortSignal): Promise<Refused | undefined> {
    const wait = this.#notBefore - performance.now()
    if (wait <= 0) return undefined
    if (wait > MAX_WAIT_MS) {
      const reason = `the provider wants no request for another ${Math.ceil(wait / 1000)} seconds`
      return { outcome: 'refused', ...NOT_NOW, reason }
    }
    try {
      await pause(wait, undefined, { signal })
      return undefined
    } catch {
      return later('given up before it was sent')
    }
  }

  /** The beginning of an answer in one line, without what we log in with, should the provider repeat it. */
  #said(body: string): string {
    const secrets = Object.values(this.#headers).flatMap((value) => [value, value.replace(/^\w+ /, '')])
    const text = secrets.filter((each) => each.length >= 8).reduce((said, each) => said.replaceAll(each, '***'), body)
    return text.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON)
  }

  #conversation(code: number, text: string): Conversation {
    const command = `${this.#options.method} ${this.#url.pathname}`
    return { host: this.#url.host, answers: [{ command, code, text }] }
  }
}

/** Places that take several addresses for answers. */
const FOR_SEVERAL = ['replyTo.emails', 'replyTo.texts', 'replyTo.text', 'each replyTo']

/** Its fields are named, since those of a mail may be getters, which a spread leaves behind. */
function forRequest(mail: OutgoingMail, { to, cc, bcc }: Recipients): MailOfRequest {
  const { id, messageId, envelope, from, replyTo, subject, html, text, headers, attachments, tags } = mail
  return { id, messageId, envelope, from, replyTo, subject, html, text, headers, attachments, tags, to, cc, bcc }
}

/** The same for the same recipients on every try, so that a provider that knows it sends nothing twice. */
function keyOf({ id }: OutgoingMail, { to, cc, bcc }: Recipients): string {
  const everybody = [...to, ...cc, ...bcc].map(({ email }) => email).join('\n')
  return `${id}-${createHash('sha256').update(everybody).digest('hex').slice(0, 16)}`
}

function later(reason: string): Refused {
  return { outcome: 'refused', permanent: false, stage: 'connect', reason }
}
