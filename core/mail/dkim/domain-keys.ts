import { createPrivateKey } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Kit } from '../../kit.ts'
import type { DomainKey, SenderDomain } from '../../ports/store/domains.ts'
import { Store } from '../../ports/store/store.ts'
import { domainOf } from '../../values/email-address.ts'
import { GOOD_RSA_BITS, rsaBits } from '../../values/private-key.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { Sealing } from './sealing.ts'
import { type Signer, type SigningKey, signMessage } from './sign-message.ts'

/** How long keys are cached: a key rotated by another process is in use here after this time. */
const CACHE_MS = 5_000
/** How many domains are cached. */
const MAX_DOMAINS = 10_000
/** How often the log repeats that a key cannot be decrypted. */
const WARN_EVERY_MS = 60_000

/** A domain that a project has added, and its keys in use. */
export interface AddedDomain {
  readonly row: SenderDomain
  /**
   * Rejects with EngineError `SERVICE_UNAVAILABLE` when one cannot be decrypted: no mail must go out without it
   * unnoticed.
   */
  readonly keys: Promise<readonly SigningKey[]>
}

interface Known {
  readonly until: number
  readonly found: Promise<ReadonlyMap<string, AddedDomain>>
}

/**
 * Signs messages for their sender's domain (DKIM) with the keys of the settings, and with those of the domains that
 * projects have added, which are read from the store every few seconds.
 */
@injectable()
export class DomainKeys implements Signer {
  /** Those of the settings, by domain. */
  readonly #configured: ReadonlyMap<string, readonly SigningKey[]>
  readonly #known = new Map<string, Known>()
  /** Parsed keys by sealed text: parsing a key costs as much as a signature. */
  readonly #read = new Map<string, SigningKey>()
  readonly #warned = new Map<string, number>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#configured = configuredKeys(kit)
  }

  /** See `Signer`. Throws EngineError `SERVICE_UNAVAILABLE` when a key cannot be decrypted just now. */
  async sign(...[message, from, { projectId, bodyHash } = {}]: Parameters<Signer['sign']>) {
    const keys = await this.keysFor(domainOf(from), projectId)
    return keys.length === 0 ? message : signMessage(message, keys, { at: this.kit.now(), bodyHash })
  }

  /**
   * The keys for a project's mail from this domain (lower-case, in Unicode): the domain's own, else those of the
   * nearest parent domain with keys that belongs to the project or the operator, which DMARC accepts in its relaxed
   * mode (RFC 9989, section 4.4). Each key makes a signature; without keys there is none.
   */
  async keysFor(domain: string, projectId?: ProjectId): Promise<readonly SigningKey[]> {
    const added = await this.of(domain)
    if (added.size === 0 && this.#configured.size === 0) return NONE
    for (const name of namesFrom(domain)) {
      const found = added.get(name)
      // a parent domain's owner may be another project, with no part in this mail
      const own =
        found !== undefined && (name === domain || found.row.projectId === projectId) ? await found.keys : NONE
      const keys = [...(this.#configured.get(name) ?? NONE), ...own]
      if (keys.length > 0) return keys
    }
    return NONE
  }

  /** A domain and its parent domains that projects have added, by name. */
  of(domain: string): Promise<ReadonlyMap<string, AddedDomain>> {
    const now = performance.now()
    const known = this.#known.get(domain)
    if (known && known.until > now) return known.found
    if (this.#known.size >= MAX_DOMAINS) this.#known.clear()
    const found = this.#load(domain)
    this.#known.set(domain, { until: now + CACHE_MS, found })
    // the next mail tries again
    found.catch(() => this.#known.delete(domain))
    return found
  }

  /** Forgets the cache after a change by this process, so that it counts at once. */
  forget(): void {
    this.#known.clear()
  }

  /** Whether this key can be used; a key without a private half can. */
  async isReadable({ domain }: Pick<SenderDomain, 'domain'>, key: DomainKey): Promise<boolean> {
    if (key.sealed === undefined) return true
    return (await this.sealing.open(key.sealed, ownerOf(domain, key))) !== undefined
  }

  async #load(domain: string): Promise<ReadonlyMap<string, AddedDomain>> {
    const found = new Map<string, AddedDomain>()
    for (const row of await this.store.domains.named(namesFrom(domain))) {
      const used = row.keys.filter(({ state, sealed }) => state === 'ACTIVE' && sealed !== undefined)
      const keys = Promise.all(used.map((key) => this.#key(row, key)))
      // a rejection that is not awaited must not crash the process
      keys.catch(() => {})
      found.set(row.domain, { row, keys })
    }
    return found
  }

  async #key(row: SenderDomain, key: DomainKey): Promise<SigningKey> {
    const { sealed = '', selector } = key
    const known = this.#read.get(sealed)
    if (known) return known
    const pem = await this.sealing.open(sealed, ownerOf(row.domain, key))
    if (pem === undefined) throw this.#unreadable(row)
    const read = { domain: domainToASCII(row.domain), selector, privateKey: createPrivateKey(pem) }
    if (this.#read.size >= MAX_DOMAINS) this.#read.clear()
    this.#read.set(sealed, read)
    return read
  }

  #unreadable({ domain, projectId }: SenderDomain): EngineError {
    const now = performance.now()
    if ((this.#warned.get(domain) ?? Number.NEGATIVE_INFINITY) + WARN_EVERY_MS <= now) {
      if (this.#warned.size >= MAX_DOMAINS) this.#warned.clear()
      this.#warned.set(domain, now)
      this.kit.log.error('the private key of a domain cannot be read: its mail waits', {
        domain,
        project: projectId,
        advice: UNREADABLE,
      })
    }
    return new EngineError('SERVICE_UNAVAILABLE', `The private key of ${domain} cannot be read. ${UNREADABLE}`)
  }
}

/** The advice for keys that cannot be decrypted. */
export const UNREADABLE =
  'It was encrypted with another secret (SECRET): give the server that one again, or rotate the key of the domain.'

/** The owner a sealed key is bound to. */
export function ownerOf(domain: string, { selector }: Pick<DomainKey, 'selector'>): string {
  return `${selector}._domainkey.${domain}`
}

/** The domain and its parents, without the top level. */
export function namesFrom(domain: string): readonly string[] {
  const names: string[] = []
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) names.push(name)
  return names
}

/** The keys of the settings, by domain. Logs those that are shorter than they should be. */
function configuredKeys({ log, settings }: Pick<Kit, 'log' | 'settings'>): ReadonlyMap<string, readonly SigningKey[]> {
  const byDomain = new Map<string, SigningKey[]>()
  for (const { domain, selector, privateKey: pem } of settings.dkim) {
    const privateKey = createPrivateKey(pem)
    const bits = rsaBits(privateKey)
    if (privateKey.asymmetricKeyType === 'rsa' && bits < GOOD_RSA_BITS) {
      log.warn(`a DKIM key is short: make one of ${GOOD_RSA_BITS} bits`, { domain, selector, bits })
    }
    const keys = byDomain.get(domain) ?? []
    keys.push({ domain: domainToASCII(domain), selector, privateKey })
    byDomain.set(domain, keys)
  }
  return byDomain
}

const NONE: readonly SigningKey[] = []
