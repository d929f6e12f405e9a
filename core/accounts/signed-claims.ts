import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { Store } from '../ports/store/store.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'

/** The uses of signed texts: one that was signed for another use is not read. */
type Use = 'client' | 'consent' | 'turn'

/** Longer ones were not signed here. */
const MAX_LENGTH = 6_000

/**
 * Values that strangers keep for this server: they can be read by all, and made by no one else. Every process of the store
 * has the same key.
 */
export class SignedClaims {
  #key: Promise<Uint8Array> | undefined

  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** The value as a text of the signs of base64url and a dot. */
  async write(use: Use, value: JsonObject): Promise<string> {
    const payload = Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${payload}.${(await this.#sign(use, payload)).toString('base64url')}`
  }

  /** The value of such a text; undefined when it was not signed here for this use. */
  async read(use: Use, text: string): Promise<JsonObject | undefined> {
    const [payload = '', signature = '', ...more] = text.length > MAX_LENGTH ? [] : text.split('.')
    const given = Buffer.from(signature, 'base64url')
    const own = await this.#sign(use, payload)
    if (more.length > 0 || given.length !== own.length || !timingSafeEqual(given, own)) return undefined
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return isJsonObject(value) ? value : undefined
  }

  async #sign(use: Use, payload: string): Promise<Buffer> {
    this.#key ??= this.#derive().catch((error) => {
      this.#key = undefined
      throw error
    })
    return createHmac('sha256', await this.#key)
      .update(`${use}.${payload}`)
      .digest()
  }

  async #derive(): Promise<Uint8Array> {
    const instance = await this.store.secrets.keep('instance', randomUUID(), this.kit.now())
    return this.links.keyFor('mailwright clients', instance)
  }
}
