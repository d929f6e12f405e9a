import type { InstallationRepository, InstallationSetting } from '../../../../core/ports/store/installation.ts'
import type { ProjectServers, ProjectServersRepository } from '../../../../core/ports/store/project-servers.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** The operator's settings. */
export class SqlInstallation extends Repository implements InstallationRepository {
  all(): Promise<readonly InstallationSetting[]> {
    return new Rows(this.access, this.tables.installation).list({})
  }

  put(setting: InstallationSetting): Promise<boolean> {
    const { name, version } = setting
    return this.access.write(async (session) => {
      const rows = new Rows(session, this.tables.installation)
      if (version === 1) return rows.add(setting)
      const stored = await rows.lock({ name })
      return stored?.version === version - 1 && rows.update(setting, ['name'])
    })
  }
}

/** The mail servers of projects. */
export class SqlProjectServers extends Repository implements ProjectServersRepository {
  readonly #rows = new Rows(this.access, this.tables.projectServers)

  versions(): Promise<readonly Pick<ProjectServers, 'projectId' | 'version'>[]> {
    return this.#rows.some(['projectId', 'version'], {})
  }

  async among(projectIds: readonly ProjectId[]): Promise<readonly ProjectServers[]> {
    return projectIds.length === 0 ? [] : this.#rows.list(this.#rows.among('projectId', projectIds))
  }

  put(servers: ProjectServers): Promise<boolean> {
    const { projectId, version } = servers
    return this.access.write(async (session) => {
      const rows = this.#rows.in(session)
      if (version === 1) return rows.add(servers)
      const stored = await rows.lock({ projectId })
      return stored?.version === version - 1 && rows.update(servers, ['projectId'])
    })
  }
}
