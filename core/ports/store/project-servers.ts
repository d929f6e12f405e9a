import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** The mail servers of one project, changed while the engine runs. */
export interface ProjectServers {
  /** Whose mail goes through them. */
  readonly projectId: ProjectId
  /** The servers in the order of their use, with sealed passwords. It stays when the last one is removed. */
  readonly value: JsonObject
  /** Counts its changes, from 1. */
  readonly version: number
  /** When it was changed last. */
  readonly updatedAt: Date
}

/** The mail servers of projects, one record for each project that has ever had any. */
export interface ProjectServersRepository {
  /** The version of each record: every process asks for them every few seconds. */
  versions(): Promise<readonly Pick<ProjectServers, 'projectId' | 'version'>[]>
  /** The records of these projects; those without any are left out. */
  among(projectIds: readonly ProjectId[]): Promise<readonly ProjectServers[]>
  /**
   * Stores the record over the version before its own; of version 1, where there is none yet. Answers whether it did:
   * otherwise another change came first.
   */
  put(servers: ProjectServers): Promise<boolean>
}
