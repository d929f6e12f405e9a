import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { HookRefused, HookRequest } from '../../../core/ports/http-hook.ts'
import { isRecent } from './proofs.ts'
import { unproven } from './refused.ts'

/** A Standard Webhooks secret: `whsec_` and 24 to 64 bytes in base64. */
export const Secret = v.pipe(
  v.string(),
  v.regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'must be whsec_ and base64'),
  v.check((text) => {
    const { length } = keyOf(text)
    return length >= 24 && length <= 64
  }, 'must hold 24 to 64 bytes'),
)

/** Proves requests that are signed as in Standard Webhooks 1.0.0, by any of these secrets. */
export class StandardProof {
  readonly #keys: readonly Buffer[]
  readonly #tolerance: number

  constructor(secrets: readonly string[], tolerance: number) {
    this.#keys = secrets.map(keyOf)
    this.#tolerance = tolerance
  }

  /** The id of a request that is proven, or the refusal of one that is not. */
  of({ headers, body, receivedAt }: HookRequest): string | HookRefused {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
    if (!id || !at || !signatures) {
      return unproven('The header fields webhook-id, webhook-timestamp and webhook-signature are needed.')
    }
    if (!isRecent(at, receivedAt, this.#tolerance)) return unproven('The webhook-timestamp is not of now.')
    return this.#isSigned(`${id}.${at}.`, body, signatures) ? id : unproven('The webhook-signature is not right.')
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

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice('whsec_'.length), 'base64')
}
