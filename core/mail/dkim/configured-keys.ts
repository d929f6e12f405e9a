import { createPrivateKey } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { GOOD_RSA_BITS, rsaBits } from '../../values/private-key.ts'
import type { SigningKey } from './signing-keys.ts'

/** The keys from the settings. Logs those that are shorter than they should be. */
@injectable()
export class ConfiguredKeys {
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

  /** The keys of exactly this domain. */
  of(domain: string): readonly SigningKey[] {
    return this.#byDomain.get(domain) ?? NONE
  }
}

const NONE: readonly SigningKey[] = []
