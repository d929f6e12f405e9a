import { createHmac } from 'node:crypto'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { isRecent, isSameText } from '../kit/hooks/proofs.ts'
import { unproven } from '../kit/hooks/refused.ts'
import { readEvent } from './read-event.ts'

/** The proof stands in the body, so that is read before: an event has far fewer values. */
const MOST_VALUES = 5_000

/**
 * Mailgun's webhooks, of which each request is one event. What is signed is the time and a token, not the event: therefore a
 * token counts once.
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
    const given = Fields.of(body, MOST_VALUES)
    const proof = given.in('signature')
    const [token, at] = [proof.text('token'), proof.text('timestamp')]
    if (token === undefined || at === undefined) return unproven('The signature of the body needs token and timestamp.')
    if (!isRecent(at, receivedAt, this.#tolerance)) return unproven('The timestamp of the signature is not of now.')
    const right = createHmac('sha256', this.#signingKey).update(`${at}${token}`).digest('hex')
    // that of the account above stands beside it when the domain is a subaccount's
    const signatures = [proof.text('signature'), proof.text('parent-signature')]
    if (!signatures.some((signature) => signature !== undefined && isSameText(signature, right))) {
      return unproven('The signature is not right.')
    }
    const report = readEvent(given.in('event-data'), this.#variable, receivedAt)
    return { outcome: 'taken', reports: report === undefined ? [] : [report], once: token }
  }
}
