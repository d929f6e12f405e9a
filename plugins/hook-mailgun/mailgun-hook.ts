import { createHmac } from 'node:crypto'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { isRecent, isSameText } from '../kit/hooks/proofs.ts'
import { unproven } from '../kit/hooks/refused.ts'
import { readEvent } from './read-event.ts'

/** The signature is in the body, so the body is parsed before it is verified. An event has far fewer values. */
const MAX_VALUES = 5_000

/**
 * Mailgun's webhooks: each request is one event. Mailgun signs the time and a token, not the event, so each token
 * counts only once.
 */
export class MailgunHook implements HttpHook {
  readonly #signingKey: string
  readonly #tolerance: number
  readonly #variable: string

  constructor(signingKey: string, tolerance: number, variable: string) {
    this.#signingKey = signingKey
    this.#tolerance = tolerance
    this.#variable = variable
  }

  receive({ body, receivedAt }: HookRequest): HookAnswer {
    const given = Fields.of(body, MAX_VALUES)
    const proof = given.in('signature')
    const [token, at] = [proof.text('token'), proof.text('timestamp')]
    if (token === undefined || at === undefined) return unproven('The signature of the body needs token and timestamp.')
    if (!isRecent(at, receivedAt, this.#tolerance)) return unproven('The timestamp of the signature is not of now.')
    const right = createHmac('sha256', this.#signingKey).update(`${at}${token}`).digest('hex')
    // for a domain of a subaccount, the parent account's signature is there too
    const signatures = [proof.text('signature'), proof.text('parent-signature')]
    if (!signatures.some((signature) => signature !== undefined && isSameText(signature, right))) {
      return unproven('The signature is not right.')
    }
    const report = readEvent(given.in('event-data'), this.#variable, receivedAt)
    return { outcome: 'taken', reports: report === undefined ? [] : [report], once: token }
  }
}
