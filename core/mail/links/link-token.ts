import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isId } from '../../values/id.ts'
import { requireText } from '../../values/shown-id.ts'

/** The purpose of a link; a token is valid for one purpose only. */
export type LinkPurpose = 'mail' | 'contact' | 'attachment' | 'account' | 'invitation' | 'view' | 'forward'

/** Bytes of the HMAC in a token: 96 bits cannot be guessed. */
const TAG_BYTES = 12
const ID_BYTES = 16
/** So many digits of base64 hold an id. */
const MAX_ID_DIGITS = 22
/** So many bytes fill their digits in base64. */
const FULL_BYTES = 3

/**
 * A token that names these ids and cannot be made without the secret: the ids as bytes, then an HMAC-SHA256 (RFC 2104)
 * over purpose and ids, in base64url. It ends in a letter or digit, since mail programs that find links in plain text leave
 * a sign at the end out. The secret is a key object, because making one takes longer than signing.
 */
export function signToken(secret: KeyObject, purpose: LinkPurpose, ids: readonly string[]): string {
  const payload = Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
  // a digit that is not full is never - or _
  const tagBytes = (payload.length + TAG_BYTES) % FULL_BYTES === 0 ? TAG_BYTES + 1 : TAG_BYTES
  return Buffer.concat([payload, tagOf(secret, purpose, payload, tagBytes)]).toString('base64url')
}

/**
 * The ids of the token that a segment of a path begins with; undefined when none was made with this secret for this
 * purpose.
 */
export function readToken(secret: KeyObject, purpose: LinkPurpose, segment: string): readonly string[] | undefined {
  const digits = withoutGlued(segment)
  // earlier tokens may end in - or _, which else was glued as well
  return idsOf(secret, purpose, digits) ?? idsOf(secret, purpose, digits.replace(/[-_]{1,9}$/, ''))
}

/** The first id that a token names, without checking the signature; a token may be cut off after it. */
export function firstIdOf(segment: string): string | undefined {
  const bytes = Buffer.from(withoutGlued(segment).slice(0, MAX_ID_DIGITS), 'base64url')
  const id = bytes.length < ID_BYTES ? '' : idOf(bytes.subarray(0, ID_BYTES))
  return isId(id) ? id : undefined
}

/** The number that a segment of a path begins with, up to 999999; undefined when there is none. */
export function readNumber(segment: string): number | undefined {
  const digits = /^(\d{1,6})[-_]{0,9}$/.exec(withoutGlued(segment))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Mail programs that find links in plain text take what follows with it, such as `.`, `)` or `>`, and may encode it. No
 * token of ours has such a sign, so everything from the first on is cut off.
 */
function withoutGlued(segment: string): string {
  return /^[\w-]*/.exec(decoded(segment))?.[0] ?? ''
}

function idsOf(secret: KeyObject, purpose: LinkPurpose, token: string): readonly string[] | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const tagBytes = bytes.length % ID_BYTES
  const payload = bytes.subarray(0, bytes.length - tagBytes)
  if (payload.length === 0 || (tagBytes !== TAG_BYTES && tagBytes !== TAG_BYTES + 1)) return undefined
  // decoding ignores junk, but only one text per token is valid
  if (bytes.toString('base64url') !== token) return undefined
  if (!timingSafeEqual(bytes.subarray(payload.length), tagOf(secret, purpose, payload, tagBytes))) return undefined
  const ids: string[] = []
  for (let at = 0; at < payload.length; at += ID_BYTES) ids.push(idOf(payload.subarray(at, at + ID_BYTES)))
  return ids.every(isId) ? ids : undefined
}

function tagOf(secret: KeyObject, purpose: LinkPurpose, payload: Uint8Array, length: number): Buffer {
  return createHmac('sha256', secret).update(`${purpose}:`).update(payload).digest().subarray(0, length)
}

function idOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The text of a path, percent-decoded where it is valid. */
function decoded(text: string): string {
  requireText(text, 'token')
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
