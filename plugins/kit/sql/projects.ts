import type { ApiKey, Project, ProjectId, ProjectRepository } from '../../../core/projects/project.ts'
import { ApiKeyRow } from './entities/api-keys.ts'
import { ProjectRow } from './entities/projects.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** The projects and their keys, through the ORM; only the key of each request is looked up without it. */
export class SqlProjects implements ProjectRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  find(id: ProjectId): Promise<Project | undefined> {
    return this.#access.orm(async (em) => {
      const found = await em.findOne(ProjectRow, { id })
      return found ? this.#tables.projects.plain(found) : undefined
    })
  }

  list(): Promise<readonly Project[]> {
    return this.#access.orm(async (em) => {
      const found = await em.find(ProjectRow, {}, { orderBy: { createdAt: 'asc', id: 'asc' } })
      return found.map((row) => this.#tables.projects.plain(row))
    })
  }

  async save(project: Project): Promise<void> {
    // what the project no longer has is taken away
    await this.#access.orm((em) => em.upsert(ProjectRow, { locale: null, doubleOptIn: null, from: null, ...project }))
  }

  async findKey(hash: string): Promise<{ readonly key: ApiKey; readonly project: Project } | undefined> {
    const { apiKeys, projects } = this.#tables
    const keySql = `select ${apiKeys.list} from "api_keys" where "hash" = ? and "revoked_at" is null`
    const projectSql = `select ${projects.list} from "projects" where "id" = ?`
    return this.#access.read(async (session) => {
      const [keyRow] = await session.all(keySql, [hash])
      if (keyRow === undefined) return undefined
      const key = apiKeys.record(keyRow)
      const [projectRow] = await session.all(projectSql, [key.projectId])
      return projectRow && { key, project: projects.record(projectRow) }
    })
  }

  addKey(key: ApiKey): Promise<'added' | 'exists' | 'taken'> {
    const { apiKeys } = this.#tables
    return this.#access.write(async (session) => {
      const added = await apiKeys.insert(session, [key], 'on conflict ("hash") do nothing')
      if (added > 0) return 'added'
      const [row] = await session.all('select "project_id" from "api_keys" where "hash" = ?', [key.hash])
      return row?.project_id === key.projectId ? 'exists' : 'taken'
    })
  }

  revokeKeys(projectId: ProjectId, name: string, keep: readonly string[], at: Date): Promise<number> {
    return this.#access.orm((em) =>
      em.nativeUpdate(ApiKeyRow, { projectId, name, revokedAt: null, hash: { $nin: [...keep] } }, { revokedAt: at }),
    )
  }

  async touchKey(id: string, at: Date): Promise<void> {
    await this.#access.orm((em) => em.nativeUpdate(ApiKeyRow, { id }, { lastUsedAt: at }))
  }
}
