import { createPrivateKey } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Kit } from '../../kit.ts'
import type { DomainKey, SenderDomain } from '../../ports/store/domains.ts'
import { Store } from '../../ports/store/store.ts'
import { Sealing } from './sealing.ts'
import type { SigningKey } from './signing-keys.ts'

/** For so long nobody asks the store again: a key that was rotated elsewhere is in use here after it. */
const KNOWN_MS = 5_000
/** So many domains are remembered. */
const MOST = 10_000
/** The log tells so often that a key cannot be read. */
const TOLD_EVERY_MS = 60_000

/** A domain that a project has added, and its keys in use. */
export interface DomainKeys {
  readonly row: SenderDomain
  /**
   * Rejects with EngineError `SERVICE_UNAVAILABLE` when one of them cannot be read: mail must not go out without it
   * unnoticed.
   */
  readonly keys: Promise<readonly SigningKey[]>
}

interface Known {
  readonly until: number
  readonly found: Promise<ReadonlyMap<string, DomainKeys>>
}

/** The keys of the domains that projects have added, by what the store says every few seconds. */
@injectable()
export class StoredKeys {
  readonly #known = new Map<string, Known>()
  /** By the sealed text: reading a key costs as much as a signature. */
  readonly #read = new Map<string, SigningKey>()
  readonly #told = new Map<string, number>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** A domain and those above it, as far as projects have added them, by domain. */
  of(domain: string): Promise<ReadonlyMap<string, DomainKeys>> {
    const now = performance.now()
    const known = this.#known.get(domain)
    if (known && known.until > now) return known.found
    if (this.#known.size >= MOST) this.#known.clear()
    const found = this.#load(domain)
    this.#known.set(domain, { until: now + KNOWN_MS, found })
    // the next mail asks again
    found.catch(() => this.#known.delete(domain))
    return found
  }

  /** Something was changed by this process: it counts at once. */
  forget(): void {
    this.#known.clear()
  }

  /** Whether this key can be used; one that needs no private key can. */
  async isReadable({ domain }: Pick<SenderDomain, 'domain'>, key: DomainKey): Promise<boolean> {
    if (key.sealed === undefined) return true
    return (await this.sealing.open(key.sealed, ownerOf(domain, key))) !== undefined
  }

  async #load(domain: string): Promise<ReadonlyMap<string, DomainKeys>> {
    const found = new Map<string, DomainKeys>()
    for (const row of await this.store.domains.named(namesFrom(domain))) {
      const used = row.keys.filter(({ state, sealed }) => state === 'ACTIVE' && sealed !== undefined)
      const keys = Promise.all(used.map((key) => this.#key(row, key)))
      // nobody may need them
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
    if (this.#read.size >= MOST) this.#read.clear()
    this.#read.set(sealed, read)
    return read
  }

  #unreadable({ domain, projectId }: SenderDomain): EngineError {
    const now = performance.now()
    if ((this.#told.get(domain) ?? Number.NEGATIVE_INFINITY) + TOLD_EVERY_MS <= now) {
      if (this.#told.size >= MOST) this.#told.clear()
      this.#told.set(domain, now)
      this.kit.log.error('the private key of a domain cannot be read: its mail waits', {
        domain,
        project: projectId,
        advice: UNREADABLE,
      })
    }
    return new EngineError('SERVICE_UNAVAILABLE', `The private key of ${domain} cannot be read. ${UNREADABLE}`)
  }
}

/** What to do about keys that do not open. */
export const UNREADABLE =
  'It was encrypted with another auth.secret (SECRET): give the server that one again, or rotate the key of the domain.'

/** What a sealed key is bound to. */
export function ownerOf(domain: string, { selector }: Pick<DomainKey, 'selector'>): string {
  return `${selector}._domainkey.${domain}`
}

/** The domain and those above it, without the top level. */
export function namesFrom(domain: string): readonly string[] {
  const names: string[] = []
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) names.push(name)
  return names
}
