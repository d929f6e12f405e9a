import { createPrivateKey } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { GOOD_RSA_BITS, rsaBits } from '../../values/private-key.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'

/** The keys from the settings. Logs those that are shorter than they should be. */
@injectable()
export class ConfiguredKeys implements SigningKeys {
  readonly #byDomain = new Map<string, SigningKey[]>()

  constructor(@inject(Kit) { log, settings }: Pick<Kit, 'log' | 'settings'>) {
    for (const { domain, selector, privateKey: pem } of settings.dkim) {
      const privateKey = createPrivateKey(pem)
      const bits = rsaBits(privateKey)
      if (privateKey.asymmetricKeyType === 'rsa' && bits < GOOD_RSA_BITS) {
        log.warn(`a DKIM key is short: make one of ${GOOD_RSA_BITS} bits`, { domain, selector, bits })
      }
      const keys = this.#byDomain.get(domain) ?? []
      keys.push({ domain: domainToASCII(domain), selector, privateKey })
      this.#byDomain.set(domain, keys)
    }
  }

  async keysFor(domain: string): Promise<readonly SigningKey[]> {
    if (this.#byDomain.size === 0) return NONE
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      const keys = this.of(name)
      if (keys.length > 0) return keys
    }
    return NONE
  }

  /** The keys of exactly this domain. */
  of(domain: string): readonly SigningKey[] {
    return this.#byDomain.get(domain) ?? NONE
  }
}

const NONE: readonly SigningKey[] = []
