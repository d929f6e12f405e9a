import type { DomainBackOff } from '../delivery/throttle.ts'
import { Throttle } from '../delivery/throttle.ts'
import type { TransportState } from '../delivery/transport-line.ts'
import { TransportRouter } from '../delivery/transport-router.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { QueueDepth } from '../ports/store/operations.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'

/** The state of an installation, over all projects. */
export interface OperatorView {
  readonly projects: readonly Pick<Project, 'id' | 'name' | 'disabled' | 'createdAt'>[]
  readonly queues: readonly QueueDepth[]
  /** The processes that work with a shared store, and how much each has claimed; none with a store for one process. */
  readonly workers: readonly { readonly name: string; readonly claims: number }[]
  /** As this process knows them; none in a process that only accepts mail. */
  readonly transports: readonly TransportState[]
  readonly backOffs: readonly DomainBackOff[]
  readonly database: { readonly schema: string; readonly bytes: number }
}

/** What the operator of an installation sees. Nothing in it belongs to one project, so it has a key of its own. */
@injectable()
export class Operations {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(TransportRouter) private readonly router: TransportRouter,
    @inject(Throttle) private readonly throttle: Throttle,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** How everything stands now. Throws EngineError `SERVICE_UNAVAILABLE` while the store is away. */
  async view(): Promise<OperatorView> {
    const now = this.kit.now()
    const [projects, queues, workers, database] = await Promise.all([
      this.store.projects.list(),
      this.store.operations.queues(now),
      this.#workers(now),
      this.store.operations.database(),
    ])
    return {
      projects: projects.map(({ id, name, disabled, createdAt }) => ({ id, name, disabled, createdAt })),
      queues,
      workers,
      transports: this.router.states(),
      backOffs: this.throttle.backOffs(),
      database,
    }
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
