import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { isRecent } from '../kit/hooks/proofs.ts'
import { readEach } from '../kit/hooks/read-each.ts'
import { unproven } from '../kit/hooks/refused.ts'
import { readReport } from './read-report.ts'

/** Receives reports signed as in Standard Webhooks 1.0.0. */
export class SignedHook implements HttpHook {
  readonly #keys: readonly Buffer[]
  readonly #tolerance: number

  constructor(secrets: readonly string[], tolerance: number) {
    this.#keys = secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'))
    this.#tolerance = tolerance
  }

  async receive(request: HookRequest): Promise<HookAnswer> {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = request.headers
    if (!id || !at || !signatures) {
      return unproven('The header fields webhook-id, webhook-timestamp and webhook-signature are needed.')
    }
    if (!isRecent(at, request.receivedAt, this.#tolerance)) return unproven('The webhook-timestamp is not of now.')
    if (!this.#isSigned(`${id}.${at}.`, request.body, signatures))
      return unproven('The webhook-signature is not right.')
    const given = readJsonText(request.body)
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    const about = { id, now: request.receivedAt, isList: Array.isArray(given) }
    const reports = await readEach(list, (each, place) => readReport(each, { ...about, place }))
    return { outcome: 'taken', reports }
  }

  /** Several signatures are separated by spaces; one right one is enough. */
  #isSigned(before: string, body: Uint8Array, signatures: string): boolean {
    const given = signatures
      .slice(0, 2000)
      .split(' ')
      .flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3), 'base64')] : []))
    return this.#keys.some((key) => {
      const right = createHmac('sha256', key).update(before).update(body).digest()
      return given.some((signature) => signature.length === right.length && timingSafeEqual(signature, right))
    })
  }
}
