import { domainToASCII } from 'node:url'
import type { DnsResolver } from '../../ports/dns-resolver.ts'
import { RECEIVERS, type Receiver } from '../../settings/route-settings.ts'
import { LATE, within } from '../../values/within.ts'

/** For how long, and of how many domains, it is known who takes their mail. */
const FRESH_MS = 3_600_000
const AGAIN_MS = 60_000
const KEPT = 50_000
/** How long mail waits for an answer. */
const WAIT_MS = 5_000

interface Known {
  readonly receiver: Promise<Receiver | undefined>
  until: number
}

/** Tells who takes the mail of a domain, by its MX records, so that all domains at one provider are one. */
export class Receivers {
  readonly #known = new Map<string, Known>()

  constructor(private readonly dns: DnsResolver) {}

  /** The receiver of a domain; undefined for none of those with a name, or when the DNS does not answer. */
  of(domain: string): Promise<Receiver | undefined> {
    const now = performance.now()
    const known = this.#known.get(domain)
    if (known && now < known.until) return known.receiver
    if (this.#known.size >= KEPT) this.#known.clear()
    const asked: Known = {
      receiver: this.#ask(domain, () => (asked.until = performance.now() + AGAIN_MS)),
      until: now + FRESH_MS,
    }
    this.#known.set(domain, asked)
    return asked.receiver
  }

  /** Never rejects: mail of a domain whose receiver is unknown goes by the rules without one. */
  async #ask(domain: string, failed: () => void): Promise<Receiver | undefined> {
    try {
      const found = await within(WAIT_MS, this.dns.mx(domainToASCII(domain)))
      if (found !== LATE) return receiverAt(found.map(({ exchange }) => exchange))
    } catch {
      // asked again soon
    }
    failed()
    return undefined
  }
}

/** The receiver whose servers these are; the one with the first server. */
export function receiverAt(exchanges: readonly string[]): Receiver | undefined {
  for (const exchange of exchanges) {
    const host = exchange.toLowerCase().replace(/\.$/, '')
    for (const [name, domains] of Object.entries(RECEIVERS)) {
      if (domains.some((domain) => host === domain || host.endsWith(`.${domain}`))) return name as Receiver
    }
  }
  return undefined
}
