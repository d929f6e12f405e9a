import type { Transports } from '../delivery/transports.ts'
import type { Kit } from '../kit.ts'
import type { NamedTransport } from '../ports/mail-transport.ts'
import type { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { readServers, type StoredMailServer } from './mail-server.ts'
import { locked, OpenedServers } from './opened-servers.ts'
import type { InstallationParts, OpenedServer } from './options.ts'

export const MAIL_WAYS = ['own', 'installation', 'folder', 'nowhere'] as const
/** The way of a project's mail: `nowhere` while it waits for a mail server, `folder` when it is only kept. */
export type MailWay = (typeof MAIL_WAYS)[number]

/** Brings the mail servers of projects into use, as far as the operator lets projects have any. */
export class ProjectRoutes {
  readonly #opened = new Map<ProjectId, OpenedServers>()
  #versions = new Map<ProjectId, number>()

  constructor(
    private readonly store: Store,
    private readonly transports: Transports,
    private readonly parts: InstallationParts,
    private readonly kit: Kit,
    private readonly open: (server: StoredMailServer) => Promise<OpenedServer>,
  ) {
    if (this.#mode === 'only') void transports.useForRest([WAITING])
  }

  /** Reads what has changed. `all`: the servers of the installation have, on which the others depend. */
  async load(all: boolean): Promise<void> {
    // before the store is asked: mail that was accepted to be sent must not meanwhile be written to a folder
    if (all) for (const [projectId, opened] of this.#opened) void this.#use(projectId, opened)
    const versions = await this.store.projectServers.versions()
    const isNews = ({ projectId, version }: (typeof versions)[number]) => this.#versions.get(projectId) !== version
    const changed = versions.filter(isNews).map(({ projectId }) => projectId)
    for (const { projectId, value, version } of await this.store.projectServers.among(changed)) {
      const opened = this.#opened.get(projectId) ?? new OpenedServers((server) => this.#open(projectId, server))
      this.#opened.set(projectId, opened)
      await opened.change(this.#mode === 'off' ? [] : this.#read(projectId, value), () => this.#use(projectId, opened))
      this.#versions.set(projectId, version)
    }
  }

  /** The way of a project's mail. */
  wayOf(projectId: ProjectId): MailWay {
    const route = this.transports.ownOf(projectId)
    if (route !== undefined) return route.inUse.includes(WAITING) ? 'nowhere' : 'own'
    return this.transports.shared.reachesNobody ? 'folder' : 'installation'
  }

  /** Closes the mail servers, after the last mail. */
  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((each) => each.close()))
  }

  get #mode() {
    return this.kit.settings.delivery.projectServers
  }

  /**
   * A project that has had servers of its own does without them as all others do, except that its mail is not written to a
   * folder: it was accepted to be sent.
   */
  #use(projectId: ProjectId, { inUse }: OpenedServers): Promise<void> {
    this.parts.address.serveProject(
      projectId,
      inUse.map(({ transport }) => transport.reach),
    )
    const names = inUse.map(({ name }) => name)
    this.transports.nameable.useOwn(projectId, names)
    const waits = inUse.length === 0 && this.#mode !== 'only' && this.transports.shared.reachesNobody
    return this.transports.useOf(projectId, waits ? [WAITING] : inUse)
  }

  #read(projectId: ProjectId, value: object): readonly StoredMailServer[] {
    try {
      return readServers(value)
    } catch (error) {
      this.kit.log.error('the mail servers of a project cannot be read', { project: projectId, error })
      return []
    }
  }

  /** A server that cannot be opened must not keep those of other projects from being used. */
  async #open(projectId: ProjectId, server: StoredMailServer): Promise<OpenedServer> {
    try {
      return await this.open(server)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.kit.log.error('a mail server of a project cannot be used: its mail waits', { project: projectId, error })
      return { named: locked(server.name, why), close: async () => {} }
    }
  }
}

/** Stands for the mail servers that a project does not have. */
const WAITING: NamedTransport = locked(
  'none',
  'this project has no mail server: its mail waits until it has one of its own, or the operator sets one for all',
  { noHop: true },
)
