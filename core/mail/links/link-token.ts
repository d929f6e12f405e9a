import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isId } from '../../values/id.ts'

/** What a link is for; a token is valid for one purpose only. */
export type LinkPurpose = 'mail' | 'contact' | 'attachment' | 'account'

/** Bytes of the HMAC in a token: 96 bits cannot be guessed. */
const TAG_BYTES = 12
const ID_BYTES = 16

/**
 * A token that names these ids and cannot be made without the secret: the ids as bytes, then an HMAC-SHA256 (RFC 2104)
 * over purpose and ids, in base64url. The secret is a key object, because making one takes longer than signing.
 */
export function signToken(secret: KeyObject, purpose: LinkPurpose, ids: readonly string[]): string {
  const payload = Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
  return Buffer.concat([payload, tagOf(secret, purpose, payload)]).toString('base64url')
}

/** The ids of a token; undefined when it was not made with this secret for this purpose. */
export function readToken(secret: KeyObject, purpose: LinkPurpose, token: string): readonly string[] | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const payload = bytes.subarray(0, -TAG_BYTES)
  // decoding ignores junk, but only one text per token is valid
  if (payload.length === 0 || payload.length % ID_BYTES !== 0 || bytes.toString('base64url') !== token) return undefined
  if (!timingSafeEqual(bytes.subarray(-TAG_BYTES), tagOf(secret, purpose, payload))) return undefined
  const ids: string[] = []
  for (let at = 0; at < payload.length; at += ID_BYTES) ids.push(idOf(payload.subarray(at, at + ID_BYTES)))
  return ids.every(isId) ? ids : undefined
}

function tagOf(secret: KeyObject, purpose: LinkPurpose, payload: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${purpose}:`).update(payload).digest().subarray(0, TAG_BYTES)
}

function idOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
