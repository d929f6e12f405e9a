import { type KeyObject, verify } from 'node:crypto'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { isRecent } from '../kit/hooks/proofs.ts'
import { readEach } from '../kit/hooks/read-each.ts'
import { unproven, unreadable } from '../kit/hooks/refused.ts'
import { readEvent } from './read-event.ts'

const SIGNATURE = 'x-twilio-email-event-webhook-signature'
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp'

/** SendGrid's signed event webhook: a list of events, with an ECDSA signature over the time and the body. */
export class SendGridHook implements HttpHook {
  readonly #key: KeyObject
  readonly #tolerance: number
  readonly #argument: string

  constructor(key: KeyObject, tolerance: number, argument: string) {
    this.#key = key
    this.#tolerance = tolerance
    this.#argument = argument
  }

  async receive({ headers, body, receivedAt }: HookRequest): Promise<HookAnswer> {
    const { [SIGNATURE]: signature, [TIMESTAMP]: at } = headers
    if (!signature || !at) return unproven(`The header fields ${SIGNATURE} and ${TIMESTAMP} are needed.`)
    if (!isRecent(at, receivedAt, this.#tolerance)) return unproven(`The ${TIMESTAMP} is not of now.`)
    const signed = Buffer.concat([Buffer.from(at), body])
    // Node reads base64 leniently; bytes that are no signature just fail to verify
    if (!verify('sha256', signed, this.#key, Buffer.from(signature, 'base64'))) {
      return unproven(`The ${SIGNATURE} is not right.`)
    }
    const events = Fields.of(body).items
    if (events === undefined) return unreadable('The body must be a list of events.')
    const reports = await readEach(events, (event) => readEvent(event, this.#argument, receivedAt))
    return { outcome: 'taken', reports }
  }
}
