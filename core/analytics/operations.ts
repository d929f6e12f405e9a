import type { RouteRampState } from '../delivery/routing/rule-ramps.ts'
import { type RampState, rampStates } from '../delivery/throttle/ramp.ts'
import type { DomainBackOff, Throttle } from '../delivery/throttle/throttle.ts'
import { type QuotaState, quotaStates } from '../delivery/throttle/transport-quota.ts'
import type { TransportState } from '../delivery/transport-line.ts'
import type { Transports } from '../delivery/transports.ts'
import type { Kit } from '../kit.ts'
import type { GivenUp } from '../ports/store/begun-work.ts'
import { type QueueDepth, WAITING_WORK, type WaitingWork } from '../ports/store/operations.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { domainsOf } from '../projects/project.ts'
import { type ProviderQuotaState, ProviderQuotas } from './provider-quotas.ts'

/** The state of an installation, over all projects. */
export interface OperatorView {
  readonly projects: readonly OperatedProject[]
  /** How many people have an account. */
  readonly users: number
  readonly queues: readonly QueueDepth[]
  /** Events and rules of retention that processes have ended with. */
  readonly givenUp: readonly GivenUp[]
  /** The processes that work with a shared store, and how much each has claimed; none with a store for one process. */
  readonly workers: readonly { readonly name: string; readonly claims: number }[]
  /** As this process knows them; none in a process that only accepts mail. */
  readonly transports: readonly TransportState[]
  readonly backOffs: readonly DomainBackOff[]
  /** The sender domains that are being warmed up. */
  readonly ramps: readonly RampState[]
  /** How far the ramps of routing rules are. */
  readonly routeRamps: readonly RouteRampState[]
  /** How much of the quotas of transports is used. */
  readonly quotas: readonly QuotaState[]
  /** The same as the providers of transports count it, where they tell. */
  readonly providerQuotas: readonly ProviderQuotaState[]
  readonly database: { readonly schema: string; readonly bytes: number }
}

/** A project as the operator sees it. */
interface OperatedProject extends Pick<Project, 'id' | 'name' | 'disabled' | 'createdAt'> {
  /** Its own mail servers, as this process knows them; empty when it uses those of the installation. */
  readonly mailServers: readonly TransportState[]
}

/** How much work of one kind waits, over all projects. */
export interface WaitingTotal {
  readonly queue: WaitingWork
  readonly waiting: number
  /** How much of it could be done now: the rest has a later time. */
  readonly due: number
  /** For how long the oldest of it has been due, in seconds. */
  readonly oldestSeconds: number
}

/** The operator's view of an installation. Nothing in it belongs to one project, so it has its own key. */
export class Operations {
  readonly #providerQuotas: ProviderQuotas

  constructor(
    private readonly store: Store,
    private readonly sending: Transports,
    private readonly throttle: Throttle,
    private readonly kit: Kit,
  ) {
    this.#providerQuotas = new ProviderQuotas(kit)
  }

  /** How everything stands now. Throws EngineError `SERVICE_UNAVAILABLE` while the store is away. */
  async view(): Promise<OperatorView> {
    const now = this.kit.now()
    const [projects, users, queues, givenUp, workers, database, providerQuotas] = await Promise.all([
      this.store.projects.list(),
      this.store.users.count(),
      this.store.operations.queues(now),
      this.store.begunWork.givenUp(),
      this.#workers(now),
      this.store.operations.database(),
      this.#providerQuotas.of(this.sending.shared.inUse),
    ])
    const domains = [...new Set(projects.flatMap(domainsOf))]
    return {
      projects: projects.map(({ id, name, disabled, createdAt }) => {
        const mailServers = this.sending.ownOf(id)?.states() ?? []
        return { id, name, disabled, createdAt, mailServers }
      }),
      users,
      queues,
      givenUp,
      workers,
      transports: this.sending.shared.states(),
      backOffs: this.throttle.backOffs(),
      ramps: await rampStates(this.store, this.kit.settings.delivery.throttle.transports, domains, now),
      routeRamps: await this.sending.rampStates(),
      quotas: await quotaStates(this.store, this.kit.settings.delivery.throttle.transports, now),
      providerQuotas,
      database,
    }
  }

  /**
   * The waiting work, a row for each kind, also where none waits. It reads as many index entries as there is work: ask
   * seldom. Throws EngineError `SERVICE_UNAVAILABLE` while the store is away.
   */
  async waiting(): Promise<readonly WaitingTotal[]> {
    const now = this.kit.now()
    const depths = await this.store.operations.queues(now)
    return WAITING_WORK.map((queue) => {
      const own = depths.filter((depth) => depth.queue === queue)
      const oldest = Math.min(now.getTime(), ...own.map((depth) => depth.oldest.getTime()))
      return {
        queue,
        waiting: own.reduce((sum, { waiting }) => sum + waiting, 0),
        due: own.reduce((sum, { due }) => sum + due, 0),
        oldestSeconds: (now.getTime() - oldest) / 1000,
      }
    })
  }

  /** The next hops as this process knows them; none in a process that only accepts mail. */
  transports(): readonly TransportState[] {
    return this.sending.shared.states()
  }

  async #workers(now: Date): Promise<OperatorView['workers']> {
    const { workers } = this.store
    if (workers === undefined) return []
    const [members, { mails, others }] = await Promise.all([workers.members(), workers.claims(now)])
    const claims = [...mails, ...others]
    return [...members].map((name) => ({
      name,
      claims: claims.filter((token) => token.startsWith(`${name}.`)).length,
    }))
  }
}
