import { verify } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import type { HookAnswer, HookRefused, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { unproven } from '../kit/hooks/refused.ts'
import { readNotice } from './read-notice.ts'
import { NoKey, type SnsKeys } from './sns-keys.ts'
import { isConfirmationUrl } from './sns-url.ts'

/**
 * The signature is in the body, so the body is parsed before it is verified. A message has ten
 * fields and a few attributes.
 */
const MAX_VALUES = 500
const CONFIRM_MS = 5_000

/** The signed fields of each message type, in this order (SNS Developer Guide, "Verifying the signatures"). */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
}
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

/** Receives Amazon SNS messages, which carry the reports of Amazon SES. */
export class SnsHook implements HttpHook {
  readonly #topics: ReadonlySet<string>
  readonly #tolerance: number
  readonly #keys: SnsKeys
  readonly #webhooks: WebhookSender
  readonly #log: Log
  readonly #limited: LimitedLog

  constructor(topics: ReadonlySet<string>, tolerance: number, keys: SnsKeys, webhooks: WebhookSender, log: Log) {
    this.#topics = topics
    this.#tolerance = tolerance
    this.#keys = keys
    this.#webhooks = webhooks
    this.#log = log
    this.#limited = new LimitedLog(log, 5)
  }

  async receive(request: HookRequest, signal: AbortSignal): Promise<HookAnswer> {
    const message = Fields.of(request.body, MAX_VALUES)
    const refused = await this.#refusal(message, request)
    if (refused) return refused
    const topic = message.text('TopicArn')
    switch (message.text('Type')) {
      case 'SubscriptionConfirmation':
        return this.#confirm(message.text('SubscribeURL') ?? '', topic ?? '', signal)
      case 'UnsubscribeConfirmation':
        this.#log.warn('Amazon SNS ended the subscription to a topic', { topic })
        return { outcome: 'taken', reports: [] }
      default:
        return { outcome: 'taken', reports: reportsIn(message.text('Message') ?? '', request.receivedAt) }
    }
  }

  /** The cheap checks come first, so that no key is fetched for a topic that is not ours. */
  async #refusal(message: Fields, { headers, receivedAt }: HookRequest): Promise<HookRefused | undefined> {
    if (headers['x-amz-sns-rawdelivery'] === 'true') {
      return unproven('Raw message delivery is not signed: turn it off for the subscription.')
    }
    const type = message.text('Type') ?? ''
    const fields = Object.hasOwn(SIGNED, type) ? SIGNED[type] : undefined
    if (fields === undefined) return unproven('It is no message of Amazon SNS.')
    const topic = message.text('TopicArn') ?? ''
    if (!this.#topics.has(topic)) {
      return { outcome: 'refused', status: 403, message: 'The TopicArn is none of the topics of this hook.' }
    }
    const at = message.moment('Timestamp')
    if (at === undefined || Math.abs(receivedAt.getTime() - at.getTime()) > this.#tolerance * 1000) {
      return unproven('The Timestamp is not of now.')
    }
    const digest = DIGESTS.get(message.text('SignatureVersion') ?? '')
    if (digest === undefined) return unproven('The SignatureVersion is neither 1 nor 2.')
    try {
      const key = await this.#keys.at(message.text('SigningCertURL') ?? '', receivedAt)
      const signature = Buffer.from(message.text('Signature') ?? '', 'base64')
      if (verify(digest, Buffer.from(signedText(message, fields)), key, signature)) return undefined
      return unproven('The Signature is not right.')
    } catch (error) {
      if (error instanceof NoKey) return unproven(`The Signature is not proven: ${error.message}.`)
      const reason = error instanceof Error ? error.message : String(error)
      this.#limited.warn('key', 'a key of Amazon SNS cannot be had', { reason })
      return { outcome: 'refused', status: 503, message: 'The signing certificate cannot be fetched at the moment.' }
    }
  }

  async #confirm(url: string, topic: string, signal: AbortSignal): Promise<HookAnswer> {
    if (!isConfirmationUrl(url, topic)) {
      return { outcome: 'refused', status: 403, message: 'The SubscribeURL is not one of Amazon SNS for this topic.' }
    }
    const request = { url, method: 'GET', headers: {}, timeout: CONFIRM_MS, redirect: 'manual' } as const
    const answer = await this.#webhooks.send(request, signal)
    if (answer.outcome === 'answered' && answer.status === 200) {
      this.#log.info('confirmed the subscription to a topic of Amazon SNS', { topic })
      return { outcome: 'taken', reports: [] }
    }
    const reason = answer.outcome === 'answered' ? `status ${answer.status}` : answer.reason
    this.#log.warn('could not confirm the subscription to a topic of Amazon SNS', { topic, reason })
    return { outcome: 'refused', status: 503, message: 'The subscription cannot be confirmed just now.' }
  }
}

function signedText(message: Fields, fields: readonly string[]): string {
  return fields
    .flatMap((name) => {
      const value = message.text(name)
      return value === undefined ? [] : [`${name}\n${value}\n`]
    })
    .join('')
}

/** Amazon SES also sends plain text, to say that a topic was set up. */
function reportsIn(text: string, now: Date): readonly FeedbackReport[] {
  try {
    return readNotice(Fields.of(text), now)
  } catch (error) {
    if (EngineError.is(error) && error.code === 'INVALID_JSON') return []
    throw error
  }
}
