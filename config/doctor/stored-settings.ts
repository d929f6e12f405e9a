import { randomBytes } from 'node:crypto'
import { readServers, type StoredMailServer } from '../../core/installation/mail-server.ts'
import { MAIL_SERVERS, PUBLIC_ADDRESS } from '../../core/installation/stored-value.ts'
import { Sealing } from '../../core/mail/dkim/sealing.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { EngineSettings } from '../../core/start/check-settings.ts'

/** The settings that the operator made while the server ran, as far as the configuration leaves them open. */
export interface StoredSettings {
  /** The public address; absent: none was set, or that of the configuration counts. */
  readonly publicUrl?: string
  /** The mail servers that mail goes through, in their order; none: it goes through the transports of the configuration. */
  readonly servers: readonly StoredMailServer[]
  /** The mail servers of projects, in their order. */
  readonly ofProjects: readonly ProjectServer[]
  /** Reads their passwords. */
  readonly sealing: Sealing
}

/** A mail server of a project, and the project's name. */
interface ProjectServer {
  readonly project: string
  readonly server: StoredMailServer
}

/** Reads what counts of the settings in the store. */
export async function storedSettings(
  store: Store,
  { installation, secret }: Pick<EngineSettings, 'installation' | 'secret'>,
  projects: readonly Pick<Project, 'id' | 'name'>[],
): Promise<StoredSettings> {
  // a server that has stored a password has kept its secret, too: none is made here
  const keep = () => store.secrets.keep('links', randomBytes(32).toString('hex'), new Date())
  const stored = new Map((await store.installation.all()).map(({ name, value }) => [name, value]))
  const isOpen = (from: 'transportsFrom' | 'publicUrlFrom') => installation !== undefined && !installation[from]
  const servers = stored.has(MAIL_SERVERS) && isOpen('transportsFrom') ? readServers(stored.get(MAIL_SERVERS)) : []
  const url = isOpen('publicUrlFrom') ? stored.get(PUBLIC_ADDRESS)?.url : undefined
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const ofProjects = (await store.projectServers.among([...names.keys()]))
    .flatMap(({ projectId, value }) =>
      readServers(value).map((server) => ({ project: names.get(projectId) ?? projectId, server })),
    )
    .filter(({ server }) => server.enabled)
  const hasPassword = [...servers, ...ofProjects.map(({ server }) => server)].some(({ sealed }) => sealed !== undefined)
  return {
    ...(typeof url === 'string' ? { publicUrl: url } : {}),
    servers: servers.filter(({ enabled }) => enabled),
    ofProjects,
    sealing: new Sealing(secret ?? (hasPassword ? await keep() : ''), keep),
  }
}
