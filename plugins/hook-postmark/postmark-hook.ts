import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { isSameText } from '../kit/hooks/proofs.ts'
import { unproven, unreadable } from '../kit/hooks/refused.ts'
import type { PostmarkHookOptions } from './options.ts'
import { readEvent } from './read-event.ts'

/** Postmark's webhooks: each request is one event. */
export class PostmarkHook implements HttpHook {
  readonly #header: string
  readonly #value: string
  readonly #metadata: string

  constructor({ user, password, header, secret, metadata }: PostmarkHookOptions) {
    const isBasic = header === undefined
    this.#header = isBasic ? 'authorization' : header.toLowerCase()
    this.#value = isBasic ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : (secret ?? '')
    this.#metadata = metadata
  }

  receive({ headers, body, receivedAt }: HookRequest): HookAnswer {
    const given = headers[this.#header]
    const scheme = this.#header === 'authorization' ? 'Basic' : undefined
    if (given === undefined) return unproven(`The header field ${this.#header} is needed.`, scheme)
    if (!isSameText(given, this.#value)) return unproven(`The header field ${this.#header} is not right.`, scheme)
    const event = Fields.of(body)
    if (!event.isObject) return unreadable('The body must be one event.')
    const report = readEvent(event, this.#metadata, receivedAt)
    return { outcome: 'taken', reports: report === undefined ? [] : [report] }
  }
}
