import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isId } from '../../values/id.ts'

/** Bytes of the HMAC in an address: 80 bits cannot be guessed by mail. */
const TAG_BYTES = 10
const ID_BYTES = 16
/** How many bytes a token has. */
export const TOKEN_BYTES = ID_BYTES + TAG_BYTES

/** Signed tokens in the local part of an address, each naming a mail, which only this server can make. */
export class AddressTokens {
  readonly #key: KeyObject

  /** Each purpose has its own key, so a token is not valid for another purpose, nor as a link. */
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
