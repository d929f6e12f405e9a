import { domainToASCII } from 'node:url'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { StoredKeys, UNREADABLE } from '../mail/dkim/stored-keys.ts'
import { bounceHostOf } from '../mail/links/bounce-hosts.ts'
import { LinkHosts } from '../mail/links/link-hosts.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { findingKey, SenderIdentity } from '../ports/sender-identity.ts'
import type { SenderDomain, StoredFinding } from '../ports/store/domains.ts'
import { Store } from '../ports/store/store.ts'
import { Projects } from '../projects/projects.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { afterCheck, type CheckResult } from './after-check.ts'
import { lookUp } from './look-up.ts'

/** So many domains are looked at by the clock at the same time: one with slow name servers holds a place, not the others. */
const PLACES = 20
/** A project that holds so many of them gets no more, and asks for no more checks at the same time. */
const OF_A_PROJECT = 5
/** A tick ends after so long, whatever is left: the next goes on. */
const TICK_MS = 4_000
/** What operators are told of, of each domain for itself. */
const NOTICE = 'domain fell back'

/** Looks whether domains are proven, now and then and when somebody asks. */
@injectable()
export class CheckDomains {
  readonly #running = new Map<string, Promise<SenderDomain | undefined>>()
  /** Those that the clock began, with their projects. */
  readonly #held = new Map<Promise<void>, SenderDomain['projectId']>()
  readonly #asked = new ProjectLanes(OF_A_PROJECT)
  readonly #stopping = new AbortController()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(SenderIdentity) private readonly identity: SenderIdentity,
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(StoredKeys) private readonly keys: StoredKeys,
    @inject(LinkHosts) private readonly linkHosts: LinkHosts,
    @inject(Projects) private readonly projects: Projects,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** As `check`, with look-ups made from now on: one under way may have looked before a record was published. */
  checkNow(domain: SenderDomain): Promise<SenderDomain | undefined> {
    return this.#asked.run(domain.projectId, async () => {
      await this.#running.get(domain.id)?.catch(() => {})
      return this.check(domain)
    })
  }

  /** Checks the domain; whoever asks meanwhile shares the check. Undefined when it was removed. */
  check(domain: SenderDomain): Promise<SenderDomain | undefined> {
    const running = this.#running.get(domain.id)
    if (running) return running
    const check = this.#check(domain).finally(() => this.#running.delete(domain.id))
    this.#running.set(domain.id, check)
    return check
  }

  /** Every few seconds: checks those that are due, as many at a time as there are places. Slow ones go on behind it. */
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

  /** Gives up what is under way, and answers when nothing is. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the engine stops'))
    await Promise.allSettled(this.#running.values())
  }

  /** Few at a time, so that no project gets all places at once. */
  async #claim(): Promise<readonly SenderDomain[]> {
    const limit = Math.min(PLACES - this.#held.size, OF_A_PROJECT)
    if (limit <= 0) return []
    const held = Map.groupBy(this.#held.values(), (projectId) => projectId)
    const busy = [...held].flatMap(([projectId, { length }]) => (length < OF_A_PROJECT ? [] : projectId))
    const now = this.kit.now()
    const next = new Date(now.getTime() + this.values.domains.checkEverySeconds * 1000)
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
      { identity: this.identity, dns: this.dns, values: this.values },
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
      // one notice a day is enough, however often a domain falls
      const kind = `${NOTICE} ${before.domain}`
      const tells = fellBack && (await tx.notices.first(domain.projectId, kind, now, NOTICE_PAUSE_MS))
      return { before, after: checked, tells }
    })
    if (change === undefined) return undefined
    this.#tell(change.before, change.after, change.tells)
    return change.after
  }

  /** Also said when nobody sends: a wrong secret should be found before it is needed. */
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
    const advice = `The private key cannot be read, so no mail is signed with it. ${UNREADABLE}`
    const keys = domain.keys.filter(({ selector }) => unreadable.has(selector))
    const records = keys.flatMap((key) => this.identity.records(domainToASCII(domain.domain), key))
    return Object.fromEntries(records.map((record) => [findingKey(record), { state: 'wrong', advice }]))
  }

  #tell(before: SenderDomain, after: SenderDomain, tells: boolean): void {
    const fields = { domain: after.domain, project: after.projectId }
    const knows = ({ status, keys }: SenderDomain) => JSON.stringify([status, keys])
    if (knows(before) !== knows(after) || bounceHostOf(before) !== bounceHostOf(after)) {
      this.keys.forget()
      this.projects.forget()
    }
    if (before.link?.inUse !== after.link?.inUse) {
      this.linkHosts.forget()
      const says = after.link?.inUse ? 'links use a host of the domain' : 'links use the public URL again'
      this.kit.log.info(says, { ...fields, linkHost: after.link?.host })
    }
    if (before.status !== 'VERIFIED' && after.status === 'VERIFIED') this.kit.log.info('a domain is verified', fields)
    if (tells) {
      const advice = 'GET /domains/{id}/verify says what is missing; until it is there nobody may send from it.'
      this.kit.log.warn('a domain is no longer verified', { ...fields, advice })
    }
  }

  #failed(domain: SenderDomain, error: unknown): void {
    if (this.#stopping.signal.aborted) return
    this.kit.log.warn('could not check a domain', { domain: domain.domain, project: domain.projectId, error })
  }
}
