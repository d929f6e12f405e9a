import { domainToASCII } from 'node:url'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { DomainKeys, UNREADABLE } from '../mail/dkim/domain-keys.ts'
import { bounceHostOf } from '../mail/links/ways-back.ts'
import { DnsResolver, type MailExchanger } from '../ports/dns-resolver.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { findingKey, SenderIdentity } from '../ports/sender-identity.ts'
import type { SenderDomain, StoredFinding } from '../ports/store/domains.ts'
import { Store } from '../ports/store/store.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import { Projects } from '../projects/projects.ts'
import { advised } from '../values/advice.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { afterCheck, type CheckResult } from './after-check.ts'
import { type ListedAddress, listingsOf } from './blocklists.ts'
import { checkLogo, type DomainLogo } from './check-logo.ts'
import { dnsAdvice } from './dns-advice.ts'
import { type DnsKeeper, dnsKeeper } from './dns-keeper.ts'
import { lookUp } from './look-up.ts'

/** How many domains the schedule checks at once: one with slow name servers holds one place, not all. */
const MAX_CONCURRENT = 20
/** A project that holds this many places gets no more, and gets no more requested checks at the same time. */
const MAX_PER_PROJECT = 5
/** How often the records of every domain are checked. */
const EVERY_MS = 5 * 60_000
/** A tick ends after this time; the next one does the rest. */
const TICK_MS = 4_000
/** The notice to operators, sent for each domain separately. */
const NOTICE = 'domain fell back'

/** Checks whether domains are proven, on a schedule and on request. */
@injectable()
export class CheckDomains {
  readonly #running = new Map<string, Promise<SenderDomain | undefined>>()
  /** The scheduled checks that run, with their projects. */
  readonly #held = new Map<Promise<void>, SenderDomain['projectId']>()
  readonly #asked = new ProjectLanes(MAX_PER_PROJECT)
  readonly #stopping = new AbortController()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(SenderIdentity) private readonly identity: SenderIdentity,
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(DomainKeys) private readonly keys: DomainKeys,
    @inject(Projects) private readonly projects: Projects,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Who keeps the DNS of a domain, by its name servers. */
  keeper(domain: string): Promise<DnsKeeper> {
    return dnsKeeper(this.dns, domain)
  }

  /** The mail exchangers of a domain now. Throws EngineError `SERVICE_UNAVAILABLE` when the DNS does not answer. */
  async exchangers(domain: string): Promise<readonly MailExchanger[]> {
    try {
      return await this.dns.mx(domainToASCII(domain), { fresh: true })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new EngineError(
        'SERVICE_UNAVAILABLE',
        `The DNS did not say what the MX records of ${domain} are: ${reason}.`,
        {
          suggestion: 'Try again later, or name the mail exchangers.',
        },
      )
    }
  }

  /** The answers of block lists on these addresses now. */
  listings(addresses: readonly string[]): Promise<readonly ListedAddress[]> {
    return listingsOf(addresses, this.kit.settings.domains.blocklists, this.dns)
  }

  /** Whether receivers can show the logo of a domain. */
  logo({ projectId, domain }: SenderDomain, sender: WebhookSender): Promise<DomainLogo> {
    return this.#asked.run(projectId, () => checkLogo(domain, { dns: this.dns, sender, now: this.kit.now() }))
  }

  /** As `check`, with look-ups made from now on: a running check may have looked before a record was published. */
  checkNow(domain: SenderDomain): Promise<SenderDomain | undefined> {
    return this.#asked.run(domain.projectId, async () => {
      await this.#running.get(domain.id)?.catch(() => {})
      return this.check(domain)
    })
  }

  /** Checks the domain; concurrent callers share one check. Undefined when the domain was removed. */
  check(domain: SenderDomain): Promise<SenderDomain | undefined> {
    const running = this.#running.get(domain.id)
    if (running) return running
    const check = this.#check(domain).finally(() => this.#running.delete(domain.id))
    this.#running.set(domain.id, check)
    return check
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'domains', cron: '*/5 * * * * *', run: (signal) => this.tick(signal) }]
  }

  /** Every few seconds: checks due domains, as many at once as there are places. Slow checks go on after the tick. */
  async tick(signal: AbortSignal): Promise<void> {
    const until = performance.now() + TICK_MS
    while (!signal.aborted && !this.#stopping.signal.aborted && performance.now() < until) {
      const due = await this.#claim()
      for (const domain of due) this.#hold(domain)
      if (due.length > 0) continue
      if (this.#held.size === 0) return
      const pause = new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())).unref())
      await Promise.race([pause, ...this.#held.keys()])
    }
  }

  /** Aborts the running checks, and answers when none is left. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the engine stops'))
    await Promise.allSettled(this.#running.values())
  }

  /** Claims few at a time, so that no project gets all places at once. */
  async #claim(): Promise<readonly SenderDomain[]> {
    const limit = Math.min(MAX_CONCURRENT - this.#held.size, MAX_PER_PROJECT)
    if (limit <= 0) return []
    const held = Map.groupBy(this.#held.values(), (projectId) => projectId)
    const busy = [...held].flatMap(([projectId, { length }]) => (length < MAX_PER_PROJECT ? [] : projectId))
    const now = this.kit.now()
    const next = new Date(now.getTime() + EVERY_MS)
    return this.store.domains.claimDue(now, next, limit, busy)
  }

  #hold(domain: SenderDomain): void {
    const held = this.check(domain)
      .then(() => {})
      .catch((error) => this.#failed(domain, error))
      .finally(() => this.#held.delete(held))
    this.#held.set(held, domain.projectId)
  }

  async #check(domain: SenderDomain): Promise<SenderDomain | undefined> {
    const seen = await lookUp(
      domain,
      { identity: this.identity, dns: this.dns, values: this.kit.settings },
      this.#stopping.signal,
    )
    const unreadable = await this.#unreadable(domain)
    const findings = { ...seen.findings, ...this.#findingsOf(domain, unreadable) }
    const result: CheckResult = { ...seen, unreadable, findings }
    const now = this.kit.now()
    const change = await this.store.transaction(async (tx) => {
      const before = await tx.domains.lock(domain.projectId, domain.id)
      if (!before) return undefined
      const checked = afterCheck(before, result, now)
      const fellBack = before.status === 'VERIFIED' && checked.status === 'FAILED'
      await tx.domains.update(checked)
      // one notice a day is enough, however often a domain falls back
      const kind = `${NOTICE} ${before.domain}`
      const isNews = fellBack && (await tx.notices.first(domain.projectId, kind, now, NOTICE_PAUSE_MS))
      return { before, after: checked, isNews }
    })
    if (change === undefined) return undefined
    this.#notify(change.before, change.after, change.isNews)
    return change.after
  }

  /** Also logged when no mail is sent: a wrong secret should be found before it is needed. */
  async #unreadable(domain: SenderDomain): Promise<ReadonlySet<string>> {
    const unreadable = new Set<string>()
    for (const key of domain.keys) {
      if (!(await this.keys.isReadable(domain, key))) unreadable.add(key.selector)
    }
    if (unreadable.size > 0)
      this.kit.log.error('the private key of a domain cannot be read', {
        domain: domain.domain,
        project: domain.projectId,
        advice: UNREADABLE,
      })
    return unreadable
  }

  #findingsOf(domain: SenderDomain, unreadable: ReadonlySet<string>): Readonly<Record<string, StoredFinding>> {
    const finding = { state: 'wrong', ...advised(dnsAdvice('key_unreadable')) } as const
    const keys = domain.keys.filter(({ selector }) => unreadable.has(selector))
    const records = keys.flatMap((key) => this.identity.records(domainToASCII(domain.domain), key))
    return Object.fromEntries(records.map((record) => [findingKey(record), finding]))
  }

  #notify(before: SenderDomain, after: SenderDomain, isNews: boolean): void {
    const fields = { domain: after.domain, project: after.projectId }
    const knows = ({ status, keys }: SenderDomain) => JSON.stringify([status, keys])
    if (knows(before) !== knows(after) || bounceHostOf(before) !== bounceHostOf(after)) {
      this.keys.forget()
      this.projects.forget()
    }
    if (before.link?.inUse !== after.link?.inUse) {
      this.keys.forget()
      const says = after.link?.inUse ? 'links use a host of the domain' : 'links use the public URL again'
      this.kit.log.info(says, { ...fields, linkHost: after.link?.host })
    }
    if (before.status !== 'VERIFIED' && after.status === 'VERIFIED') this.kit.log.info('a domain is verified', fields)
    if (isNews) {
      const advice = 'GET /domains/{id}/verify says what is missing; until then mail from it is refused.'
      this.kit.log.warn('a domain is no longer verified', { ...fields, advice })
    }
  }

  #failed(domain: SenderDomain, error: unknown): void {
    if (this.#stopping.signal.aborted) return
    this.kit.log.warn('could not check a domain', { domain: domain.domain, project: domain.projectId, error })
  }
}
