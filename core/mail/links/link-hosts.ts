import { domainToASCII } from 'node:url'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { Store } from '../../ports/store/store.ts'
import { domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** How long a domain's host is cached. */
const CACHE_MS = 5_000
/** How many domains are cached. */
const MAX_DOMAINS = 10_000

type Base = string | undefined

/** The domains' own hosts for links in their mail, read from the store every few seconds. */
@injectable()
export class LinkHosts {
  readonly #known = new Map<string, { readonly until: number; base: Base | Promise<Base> }>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * The start of links in the project's mail from this address, instead of the public URL; undefined when its domain
   * has no working host. Never rejects: when the store is away the public URL is used.
   */
  of(projectId: ProjectId, from: string): Base | Promise<Base> {
    if (this.kit.settings.publicUrl === undefined) return undefined
    const domain = domainOf(from)
    const key = projectId + domain
    const now = performance.now()
    const known = this.#known.get(key)
    if (known && known.until > now) return known.base
    if (this.#known.size >= MAX_DOMAINS) this.#known.clear()
    const asked = { until: now + CACHE_MS, base: this.#base(projectId, domain) as Base | Promise<Base> }
    this.#known.set(key, asked)
    return Promise.resolve(asked.base).then((base) => {
      asked.base = base
      return base
    })
  }

  /** Forgets the cache after a change by this process, so that it counts at once. */
  forget(): void {
    this.#known.clear()
  }

  async #base(projectId: ProjectId, domain: string): Promise<Base> {
    try {
      const [row] = await this.store.domains.named([domain])
      return row?.link?.inUse && row.projectId === projectId ? this.#at(row.link.host) : undefined
    } catch (error) {
      this.kit.log.debug('could not look up the link host of a domain', { domain, error })
      return undefined
    }
  }

  /** The host with the path of the public URL. */
  #at(host: string): string {
    const path = URL.parse(this.kit.settings.publicUrl ?? '')?.pathname ?? '/'
    return `https://${domainToASCII(host)}${path === '/' ? '' : path}`
  }
}
