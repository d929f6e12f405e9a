import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { inject, injectable } from '../di.ts'
import { LinkSettings } from '../links/links.ts'
import { type EngineValues, Values } from '../settings.ts'
import { isId } from '../values/id.ts'

/** How many bytes of the HMAC stand in an address: 80 bits cannot be guessed by mail. */
const TAG_BYTES = 10
const ID_BYTES = 16
/** Hexadecimal survives servers that change the case of local parts; with `b+` it is 54 octets of the 64 allowed. */
const LOCAL_PART = /^b\+([0-9a-f]{52})$/

/**
 * The return paths of mails (variable envelope return paths): each names its mail and is signed, so that a bounce tells
 * which mail it is about, whatever it quotes, and nobody can make one up.
 */
@injectable()
export class ReturnPaths {
  readonly #key: KeyObject
  #host: string | undefined

  constructor(@inject(LinkSettings) { secret }: LinkSettings, @inject(Values) values: EngineValues) {
    // a key of its own: what is signed for links is worth nothing here
    this.#key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'mailwright return path', 32)))
    this.#host = values.feedback.returnPathHost
  }

  /** The host that takes bounces; undefined while there is none. */
  get host(): string | undefined {
    return this.#host
  }

  /** From now on bounces go to this host, unless the settings name one. */
  offer(host: string): void {
    this.#host ??= host
  }

  /** The return path of this mail; undefined while nobody would take its bounces. */
  of(emailId: string): string | undefined {
    const host = this.#host
    if (host === undefined) return undefined
    const id = Buffer.from(emailId.replaceAll('-', ''), 'hex')
    return `b+${id.toString('hex')}${this.#tag(id).toString('hex')}@${host}`
  }

  /** The id of the mail whose return path this is, at whatever host; undefined when we did not make it. */
  read(address: string): string | undefined {
    const hex = LOCAL_PART.exec(address.slice(0, address.lastIndexOf('@')).trim().toLowerCase())?.[1]
    if (hex === undefined) return undefined
    const bytes = Buffer.from(hex, 'hex')
    const id = bytes.subarray(0, ID_BYTES)
    if (!timingSafeEqual(bytes.subarray(ID_BYTES), this.#tag(id))) return undefined
    const text = id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    return isId(text) ? text : undefined
  }

  #tag(id: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, TAG_BYTES)
  }
}
