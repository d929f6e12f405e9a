import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isId } from '../../values/id.ts'

/** How many bytes of the HMAC stand in an address: 80 bits cannot be guessed by mail. */
const TAG_BYTES = 10
const ID_BYTES = 16
/** How many bytes a token has. */
export const TOKEN_BYTES = ID_BYTES + TAG_BYTES

/** Tokens that stand in the local part of an address: each names a mail and is signed, so that nobody can make one up. */
export class AddressTokens {
  readonly #key: KeyObject

  /** The purpose has a key of its own: a token of one is none of another, nor of links. */
  constructor(secret: Uint8Array, purpose: string) {
    this.#key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `mailwright ${purpose}`, 32)))
  }

  /** The token of this mail. */
  of(emailId: string): Buffer {
    const id = Buffer.from(emailId.replaceAll('-', ''), 'hex')
    return Buffer.concat([id, this.#tag(id)])
  }

  /** The id of the mail that a token names; undefined when we did not make it. */
  read(token: Buffer): string | undefined {
    if (token.length !== TOKEN_BYTES) return undefined
    const id = token.subarray(0, ID_BYTES)
    if (!timingSafeEqual(token.subarray(ID_BYTES), this.#tag(id))) return undefined
    const text = id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    return isId(text) ? text : undefined
  }

  #tag(id: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, TAG_BYTES)
  }
}
