import type { DnsResolver, MailExchanger } from '../ports/dns-resolver.ts'

/** A domain's state in the DNS; undefined is "unknown": no answer, or none in time. */
export interface DomainRecords {
  /** Whether the domain is in the DNS: it has name servers, or it has records and a parent domain has name servers. */
  readonly exists: boolean | undefined
  readonly mx: readonly MailExchanger[] | undefined
  /** Whether it has an address (A or AAAA). */
  readonly website: boolean | undefined
}

/** How many parent domains are searched for name servers. */
const MAX_PARENTS = 10

/** Looks a domain up, waiting until `deadline` at most; questions still open then end by themselves. */
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
   * A name with records lies in a zone with name servers; it need not be a zone itself, for example
   * `mail.example.co.uk`. When that cannot be looked up the records are enough.
   */
  async #hasZone(domain: string, own: readonly string[] | undefined): Promise<boolean> {
    if (own === undefined) return true
    const labels = domain.split('.')
    for (let i = 1; i < labels.length && i <= MAX_PARENTS; i++) {
      const found = await this.#known(() => this.dns.ns(labels.slice(i).join('.')))
      if (found === undefined || found.length > 0) return true
    }
    return labels.length - 1 > MAX_PARENTS
  }

  async #known<T>(ask: () => Promise<T>): Promise<T | undefined> {
    // a custom resolver may throw synchronously
    const asked = (async () => ask())().catch(() => undefined)
    this.#asked.push(asked)
    return Promise.race([asked, this.deadline])
  }
}
