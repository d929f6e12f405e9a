import { randomInt } from 'node:crypto'
import { domainTrouble, sentence } from '../../bounces/refusal.ts'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import type { Answer, Refusal } from '../../ports/mail-transport.ts'
import type { Lane } from '../../ports/queue.ts'
import type { Email } from '../../ports/store/emails.ts'
import { ANY_DOMAIN, type Limits, limitsOf } from '../../settings/throttle-settings.ts'
import { domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { BackOff } from './back-off.ts'
import { Gate } from './gate.ts'
import { Held, type HeldMail } from './held.ts'

/** This many recipients put off in a row, each within this time of the last, mean that the domain is in trouble. */
const IN_A_ROW = 3
const ROW_MS = 60_000
/** Times in the store are rounded up to this, so that one statement and one job serve many mails. */
const STEP_MS = 500
/** With fewer domains than this nothing is forgotten. */
const KEPT = 1_000

/** A time at which to come again, and the reason if one was given. */
export interface Later {
  readonly until: Date
  readonly reason?: string
  /** When the mail expires from then on; absent: as before. */
  readonly expiresAt?: Date
}

/** A domain to which mail goes slowly, or not at all for a while, because it put mail off. */
export interface DomainBackOff {
  readonly domain: string
  readonly pausedSeconds: number
  /** The rate it is held to after the pause, in mails a second. */
  readonly perSecond: number
  /** The reason that it named. */
  readonly reason?: string
}

/** A domain that takes mail again is sent this many a second at the most, when nothing else limits it. */
const FULL_RATE = 500

/** The way that a mail goes. */
interface Way {
  /** The gate of its transports, when all are in trouble. */
  readonly trouble?: Gate | undefined
  /** The project whose mail alone goes there: what its servers say about a domain concerns no other mail. */
  readonly owner?: ProjectId | undefined
  /** It ends in this house: nothing limits it, and it says nothing about a domain. */
  readonly isSimulator?: boolean
}

/** The part of a mail that the throttle needs: its recipient, and since when it waits. */
type ThrottledMail = Pick<Email, 'id' | 'projectId' | 'to' | 'createdAt' | 'dueAt'>

/**
 * Holds projects and recipient domains to their limits, and slows down for domains that put mail off. A mail asks here
 * before it queues for a transport, so that nothing waits behind it there. The limits are per process. Without limits a
 * mail costs one look-up in a map.
 */
@injectable()
export class Throttle {
  readonly #projectLimits: Limits | undefined
  readonly #domainLimits: ReadonlyMap<string, Limits | undefined>
  readonly #projects = new Map<string, Gate>()
  readonly #domains = new Map<string, Gate>()
  readonly #held = new Map<string, Held>()
  readonly #rows = new Map<string, { readonly recipients: Set<string>; last: number }>()
  #sweepAt = KEPT

  constructor(@inject(Kit) private readonly kit: Kit) {
    const { project, domains } = kit.settings.delivery.throttle
    this.#projectLimits = limitsOf(project)
    this.#domainLimits = new Map(Object.entries(domains).map(([domain, entry]) => [domain, limitsOf(entry)]))
  }

  /**
   * Asks to send the mail; undefined when nothing limits it. A `Later` says when to come again; a permit must be ended.
   */
  permit(email: ThrottledMail, lane: Lane, way: Way = {}): Promise<Permit | Later> | undefined {
    if (way.isSimulator) return undefined
    const { trouble: hop } = way
    const project = this.#projectLimits && this.#gate(this.#projects, email.projectId, this.#projectLimits)
    const key = keyOf(domainOf(email.to), way)
    const domain = this.#domainGate(domainOf(email.to), key)
    this.#held.get(key)?.came(email.id)
    if (!project && !domain && !hop) return undefined
    return this.#permit(email, lane, key, { hop, project, domain })
  }

  /** When the mail is to come again because its domain is paused just now, or all transports are. */
  paused(email: ThrottledMail, lane: Lane, way: Way = {}): Later | undefined {
    const key = keyOf(domainOf(email.to), way)
    return this.#paused(way.trouble, email, lane, key) ?? this.#paused(this.#domains.get(key), email, lane, key)
  }

  /** Learns from the answer to a try that began at `since` (by `performance.now()`). */
  note(email: ThrottledMail, answer: Answer, since: number, way: Way = {}): void {
    if (answer.outcome === 'unknown' || way.isSimulator) return
    const given = answer.refused ?? []
    const own = answer.outcome === 'refused' && given.length === 0 ? [{ ...answer, recipient: email.to }] : given
    for (const refusal of own) this.#refused(domainOf(refusal.recipient), refusal, since, way)
    if (answer.outcome === 'accepted' && given.length === 0) this.#accepted(domainOf(email.to), way)
  }

  /**
   * The mails to this recipient's domain that may come sooner than they were told to, since it takes more by now than was
   * foreseen. Ask after each mail that was accepted.
   */
  sooner({ to, projectId }: Pick<Email, 'to' | 'projectId'>, way: Way = {}): readonly HeldMail[] {
    const key = keyOf(domainOf(to), way)
    const held = this.#held.get(key)
    if (held === undefined) return []
    const gates = [this.#domains.get(key), this.#projects.get(projectId)].filter((gate) => gate !== undefined)
    if (held.isEmpty && gates.every(({ backOff }) => backOff === undefined)) this.#held.delete(key)
    const rate = Math.min(FULL_RATE, ...gates.map((gate) => gate.rate))
    const here = Math.max(0, ...gates.map((gate) => gate.waiting))
    return held.sooner(rate, here, this.kit.now(), performance.now())
  }

  /** The domains that put mail of the installation's transports off, as this process knows them. */
  backOffs(): readonly DomainBackOff[] {
    const now = performance.now()
    return [...this.#domains].flatMap(([domain, { backOff }]) => {
      if (backOff === undefined || backOff.isStale(now) || domain.includes(OF)) return []
      const pausedSeconds = Math.max(0, Math.ceil((backOff.pausedUntil - now) / 1000))
      return { domain, pausedSeconds, perSecond: backOff.rate, ...(backOff.reason && { reason: backOff.reason }) }
    })
  }

  async #permit(
    email: ThrottledMail,
    lane: Lane,
    key: string,
    { hop, project, domain }: Readonly<Record<'hop' | 'project' | 'domain', Gate | undefined>>,
  ): Promise<Permit | Later> {
    const waited = hasWaited(email)
    const later = this.#paused(hop, email, lane, key) ?? this.#paused(domain, email, lane, key)
    if (later !== undefined) return later
    if (project && domain && (domain.putsOff(lane, waited) || project.putsOff(lane, waited))) {
      // A turn of the project given to a mail whose domain has none by then would be lost to all others.
      const behind = domain.momentBehind(project.backlogEnd(lane), lane, waited)
      if (behind !== undefined) return this.#later(behind, domain, email, lane, key)
    }
    const passed: Gate[] = []
    // The domain last: a mail that waits for the project must not take up one of the domain's connections.
    for (const gate of [hop, project, domain]) {
      if (gate === undefined) continue
      const turn = await gate.enter(lane, waited)
      if (turn !== 'go') {
        for (const one of passed) one.giveBack()
        return this.#later(turn, gate === hop ? hop : domain, email, lane, key)
      }
      passed.push(gate)
    }
    return new Permit(passed)
  }

  #domainGate(domain: string, key: string): Gate | undefined {
    const known = this.#domains.get(key)
    if (known || this.#domainLimits.size === 0) return known
    const limits = this.#domainLimits.has(domain) ? this.#domainLimits.get(domain) : this.#domainLimits.get(ANY_DOMAIN)
    return limits && this.#gate(this.#domains, key, limits)
  }

  #gate(gates: Map<string, Gate>, key: string, limits: Limits): Gate {
    const known = gates.get(key)
    if (known) return known
    this.#sweep()
    const gate = new Gate(limits, () => performance.now())
    gates.set(key, gate)
    return gate
  }

  /** Forgets idle gates, each time as many new ones have come as are kept. */
  #sweep(): void {
    if (this.#projects.size + this.#domains.size + this.#rows.size < this.#sweepAt) return
    const now = performance.now()
    for (const gates of [this.#projects, this.#domains])
      for (const [key, gate] of gates) if (gate.isIdle) gates.delete(key)
    for (const domain of this.#held.keys()) if (!this.#domains.has(domain)) this.#held.delete(domain)
    for (const [domain, { last }] of this.#rows) if (now - last > ROW_MS) this.#rows.delete(domain)
    this.#sweepAt = KEPT + 2 * (this.#projects.size + this.#domains.size + this.#rows.size)
  }

  #refused(domain: string, refusal: Refusal & { readonly recipient: string }, since: number, way: Way): void {
    const trouble = domainTrouble(refusal)
    const key = keyOf(domain, way)
    if (!trouble || (trouble === 'possible' && !this.#isInARow(key, refusal.recipient))) return
    this.#rows.delete(key)
    const now = performance.now()
    const limits = this.#domainLimits.get(domain) ?? this.#domainLimits.get(ANY_DOMAIN) ?? {}
    const gate = this.#domainGate(domain, key) ?? this.#gate(this.#domains, key, limits)
    if (gate.backOff) {
      gate.backOff.again(now, since)
    } else {
      gate.backOff = new BackOff(now, gate.limit, chance)
      if (!this.#held.has(key)) this.#held.set(key, new Held())
      const { stage, code, enhancedCode, reason } = refusal
      const pauseSeconds = Math.round((gate.backOff.pausedUntil - now) / 1000)
      const { owner: project } = way
      const about = { domain, ...(project && { project }), pauseSeconds, stage, code, enhancedCode, reason }
      this.kit.log.warn('a domain defers mail: sending to it more slowly', about)
    }
    gate.backOff.reason = `${domain} defers mail: ${sentence(refusal)}`
    gate.admit()
  }

  #isInARow(key: string, recipient: string): boolean {
    const now = performance.now()
    const known = this.#rows.get(key)
    const row = known && now - known.last <= ROW_MS ? known : { recipients: new Set<string>(), last: now }
    row.recipients.add(recipient)
    row.last = now
    if (row !== known) this.#sweep()
    this.#rows.set(key, row)
    return row.recipients.size >= IN_A_ROW
  }

  #accepted(domain: string, way: Way): void {
    const key = keyOf(domain, way)
    this.#rows.delete(key)
    const gate = this.#domains.get(key)
    if (!gate?.backOff?.took(performance.now())) return
    gate.recover()
    this.kit.log.info('a domain accepts mail again: sending to it at full speed', {
      domain,
      ...(way.owner && { project: way.owner }),
    })
  }

  #paused(gate: Gate | undefined, email: ThrottledMail, lane: Lane, key: string): Later | undefined {
    const moment = gate?.paused(lane, hasWaited(email))
    return moment === undefined ? undefined : this.#later(moment, gate, email, lane, key)
  }

  #later(moment: number, gate: Gate | undefined, { id }: ThrottledMail, lane: Lane, key: string): Later {
    const at = this.kit.now().getTime() + Math.max(0, moment - performance.now())
    const until = new Date(Math.ceil(at / STEP_MS) * STEP_MS)
    // by whichever gate: all of them go as fast as the domain takes them
    this.#held.get(key)?.add({ id, lane, until })
    const reason = gate?.backOff?.reason
    return reason === undefined ? { until } : { until, reason }
  }
}

/** Permission to send a mail now. */
export class Permit {
  readonly #gates: readonly Gate[]
  #since: number | undefined

  constructor(gates: readonly Gate[]) {
    this.#gates = gates
  }

  /** The try begins now; a second call does nothing. */
  started(): void {
    if (this.#since !== undefined) return
    this.#since = performance.now()
    for (const gate of this.#gates) gate.started()
  }

  /** The try is over. A mail that was never tried gives its turn back. */
  end(): void {
    const duration = this.#since === undefined ? undefined : performance.now() - this.#since
    for (const gate of this.#gates) {
      if (duration === undefined) gate.giveBack()
      else gate.leave(duration)
    }
  }
}

/** Stands before the project in the key of a domain; no domain has a space. */
const OF = ' '

/** The key of a domain among those that mail is sent to this way. */
function keyOf(domain: string, { owner }: Way): string {
  return owner === undefined ? domain : `${domain}${OF}${owner}`
}

/** A mail put off before comes at the time it was given, not when it was accepted. */
function hasWaited({ createdAt, dueAt }: ThrottledMail): boolean {
  return dueAt > createdAt
}

function chance(): number {
  return randomInt(1000) / 1000
}
