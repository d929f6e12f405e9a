import type { DnsResolver, MailExchanger } from '../ports/dns-resolver.ts'

/** What the DNS says of a domain; undefined is "cannot tell": no answer, or none in time. */
export interface DomainRecords {
  /** Whether the domain is in the DNS: it has name servers, or it has records and a domain above it has the name servers. */
  readonly exists: boolean | undefined
  readonly mx: readonly MailExchanger[] | undefined
  /** Whether it has an address (A or AAAA). */
  readonly website: boolean | undefined
}

/** So many domains above the asked one are looked at for name servers. */
const MOST_ABOVE = 10

/** Looks a domain up, waiting no longer than until `deadline`; asks that are under way then are left to end by themselves. */
export class LookUp {
  readonly #asked: Promise<unknown>[] = []

  constructor(
    private readonly dns: DnsResolver,
    private readonly deadline: Promise<undefined>,
  ) {}

  /** The records of a domain, given in ASCII. */
  async records(domain: string): Promise<DomainRecords> {
    const [ns, mx, ipv4, ipv6] = await Promise.all([
      this.#known(() => this.dns.ns(domain)),
      this.#known(() => this.dns.mx(domain)),
      this.#known(() => this.dns.ipv4(domain)),
      this.#known(() => this.dns.ipv6(domain)),
    ])
    const addresses = [ipv4, ipv6]
    const website = addresses.some((found) => found?.length) || (addresses.includes(undefined) ? undefined : false)
    const hasRecords = Boolean(mx?.length) || website === true
    const nothing = ns && mx && website === false ? false : undefined
    const exists = ns?.length ? true : hasRecords ? await this.#hasZone(domain, ns) : nothing
    return { exists, mx, website }
  }

  /** Answers when every question has been answered or given up. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#asked)
  }

  /**
   * A name with records lies in a zone, which has name servers; it need not be a zone itself, as `mail.example.co.uk` is
   * none. Where that cannot be asked the records speak for it.
   */
  async #hasZone(domain: string, own: readonly string[] | undefined): Promise<boolean> {
    if (own === undefined) return true
    const labels = domain.split('.')
    for (let i = 1; i < labels.length && i <= MOST_ABOVE; i++) {
      const found = await this.#known(() => this.dns.ns(labels.slice(i).join('.')))
      if (found === undefined || found.length > 0) return true
    }
    return labels.length - 1 > MOST_ABOVE
  }

  async #known<T>(ask: () => Promise<T>): Promise<T | undefined> {
    // a resolver of somebody's own may throw at once
    const asked = (async () => ask())().catch(() => undefined)
    this.#asked.push(asked)
    return Promise.race([asked, this.deadline])
  }
}
