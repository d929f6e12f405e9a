import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { STS_MODES, type StsPolicy } from '../../core/ports/store/domains.ts'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { stsIdsIn } from '../../core/values/mta-sts.ts'
import { unlessAborted } from '../../core/values/unless-aborted.ts'

/** The policies of so many domains are kept, each with so many patterns at most. */
const KEPT = 2_000
const MAX_PATTERNS = 100
/** RFC 8461, section 3.3, asks for a limit, and advises 64 KB. */
const MAX_BYTES = 64 * 1024
/** RFC 8461, section 3.2: a policy holds for a year at most. */
const MAX_AGE = 31_557_600
/** How long fetching a policy may take. The first mail to a domain waits for it. */
const FETCH_MS = 10_000
/** A policy that could not be fetched is not asked for again for this long (RFC 8461, section 3.3). */
const REST_MS = 300_000
/** A kept policy is fetched again after this long, or half of its time, so that it does not run out while that fails (RFC 8461, section 10.2). */
const RENEW_MS = 86_400_000
/** After a failure of the DNS, it is not asked for a record for so many times as long as that failure took. */
const UNANSWERED_REST = 10

/** The policy of a domain, as it was fetched last. */
interface Kept {
  /** The id of the record that it was fetched for. */
  readonly id: string
  readonly policy: StsPolicy | undefined
  /** Until when it holds. */
  readonly until: number
  /** From when it is fetched again. */
  readonly renewAt: number
}

/**
 * The MTA-STS policies of the domains that mail goes to (RFC 8461): which servers may take it, and that their certificates
 * must be valid. They are kept in memory, so that a process learns them anew with the first mail to each domain.
 */
export class StsPolicies {
  readonly #kept = new Map<string, Kept>()
  readonly #fetching = new Map<string, Promise<Kept>>()
  /** Domains whose policy could not be kept to: it may be another by now. */
  readonly #doubted = new Set<string>()
  /** Domains about whose record the DNS said nothing, until when it is not asked. */
  readonly #unanswered = new Map<string, number>()
  readonly #closed = new AbortController()
  readonly #dns: DnsResolver
  readonly #web: WebhookSender | undefined

  /** @param web undefined where no requests can be made; then no domain has a policy */
  constructor(dns: DnsResolver, web: WebhookSender | undefined) {
    this.#dns = dns
    this.#web = web
  }

  /**
   * The policy that mail to this domain, in ASCII, is held to; undefined when it has none, or only tests it. Rejects when the
   * signal is aborted.
   */
  async enforcedOf(domain: string, signal: AbortSignal): Promise<StsPolicy | undefined> {
    const policy = await unlessAborted(signal, this.#policyOf(domain))
    return policy?.mode === 'enforce' ? policy : undefined
  }

  /** Notes that no server keeps to the policy of this domain: the next mail asks for its record anew. */
  doubt(domain: string): void {
    if (this.#doubted.size >= KEPT) this.#doubted.clear()
    this.#doubted.add(domain)
  }

  /** Gives up what is being fetched. */
  close(): void {
    this.#closed.abort()
  }

  async #policyOf(domain: string): Promise<StsPolicy | undefined> {
    if (this.#web === undefined) return undefined
    const now = performance.now()
    const found = this.#kept.get(domain)
    const kept = found && now < found.until ? found : undefined
    const id = await this.#idOf(domain)
    // without a record, or an answer of the DNS, a kept policy holds (RFC 8461, section 3.3)
    if (id === undefined || (kept?.id === id && now < kept.renewAt)) return kept?.policy
    const fetching = this.#fetching.get(domain) ?? this.#renew(domain, id, kept, this.#web)
    this.#fetching.set(domain, fetching)
    // mail waits for a policy that is new, not for the same one again
    return kept?.policy !== undefined && kept.id === id ? kept.policy : (await fetching).policy
  }

  /** The id in the one record that says that there is a policy. */
  async #idOf(domain: string): Promise<string | undefined> {
    const asked = performance.now()
    if (asked < (this.#unanswered.get(domain) ?? 0)) return undefined
    const fresh = this.#doubted.delete(domain)
    const texts = await this.#dns.txt(`_mta-sts.${domain}`, { fresh }).catch(() => {
      const now = performance.now()
      keep(this.#unanswered, domain, now + UNANSWERED_REST * (now - asked))
      return []
    })
    const [id, ...others] = stsIdsIn(texts)
    return others.length === 0 ? id : undefined
  }

  async #renew(domain: string, id: string, kept: Kept | undefined, web: WebhookSender): Promise<Kept> {
    try {
      const policy = await fetchPolicy(domain, web, this.#closed.signal).catch(() => undefined)
      const now = performance.now()
      const renewed =
        policy === undefined
          ? { ...failed(id, now), ...(kept && { policy: kept.policy, until: kept.until }) }
          : { id, policy, until: now + ageOf(policy), renewAt: now + Math.min(RENEW_MS, ageOf(policy) / 2) }
      keep(this.#kept, domain, renewed)
      return renewed
    } finally {
      this.#fetching.delete(domain)
    }
  }
}

/** Puts it behind the others, in place of the oldest where there are too many. */
function keep<Value>(all: Map<string, Value>, domain: string, value: Value): void {
  all.delete(domain)
  const [oldest] = all.keys()
  if (all.size >= KEPT && oldest !== undefined) all.delete(oldest)
  all.set(domain, value)
}

/** For how long a policy is kept, in milliseconds: never so short that each mail fetches it anew. */
function ageOf({ maxAge }: StsPolicy): number {
  return Math.max(maxAge * 1000, REST_MS)
}

function failed(id: string, now: number): Kept {
  return { id, policy: undefined, until: now + REST_MS, renewAt: now + REST_MS }
}

/** The policy of a domain; undefined when it cannot be fetched or read. Its host must have a valid certificate. */
async function fetchPolicy(domain: string, web: WebhookSender, signal: AbortSignal): Promise<StsPolicy | undefined> {
  const answer = await web.send(
    {
      url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
      method: 'GET',
      headers: { accept: 'text/plain' },
      timeout: FETCH_MS,
      redirect: 'manual',
      document: { maxBytes: MAX_BYTES },
    },
    signal,
  )
  if (answer.outcome !== 'answered' || answer.status !== 200) return undefined
  return /^text\/plain\b/i.test(answer.headers['content-type'] ?? '') ? policyIn(answer.body) : undefined
}

/** Reads a policy (RFC 8461, section 3.2): of fields that come twice, the first counts, but for `mx`. */
export function policyIn(text: string): StsPolicy | undefined {
  const fields = text.split(/\r?\n/).map((line) => {
    const [name = '', ...value] = line.split(':')
    return { name: name.trim().toLowerCase(), value: value.join(':').trim() }
  })
  const first = (name: string) => fields.find((field) => field.name === name)?.value
  const mode = STS_MODES.find((each) => each === first('mode'))
  const maxAge = first('max_age') ?? ''
  const mx = fields.filter(({ name }) => name === 'mx').map(({ value }) => value.toLowerCase().replace(/\.$/, ''))
  if (first('version') !== 'STSv1' || mode === undefined || !/^\d{1,10}$/.test(maxAge)) return undefined
  if (mx.length > MAX_PATTERNS || (mx.length === 0 && mode !== 'none')) return undefined
  if (mx.some((pattern) => pattern.length > 255)) return undefined
  return { mode, mx, maxAge: Math.min(Number(maxAge), MAX_AGE) }
}
