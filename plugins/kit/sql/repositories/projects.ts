import type { ApiKey, Project, ProjectRepository } from '../../../../core/ports/store/projects.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import type { Row } from '../engine/session.ts'
import type { Tables } from '../engine/tables.ts'
import { ApiKeyRow } from '../entities/api-keys.ts'
import { ProjectRow } from '../entities/projects.ts'

/** The projects and their keys, through the ORM; only the look-up of each request's key does without it. */
export class SqlProjects implements ProjectRepository {
  readonly #access: Access
  readonly #tables: Tables
  readonly #select: string

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
    this.#select = selectProjects(tables)
  }

  find(id: ProjectId): Promise<Project | undefined> {
    const sql = `${this.#select} where "projects"."id" = ?`
    return this.#access.read(async (session) => {
      const [row] = await session.all(sql, [id])
      return row && this.#project(row)
    })
  }

  list(): Promise<readonly Project[]> {
    const sql = `${this.#select} order by "projects"."created_at", "projects"."id"`
    return this.#access.read(async (session) => (await session.all(sql, [])).map((row) => this.#project(row)))
  }

  async save({ verifiedDomains, ...project }: Project): Promise<void> {
    // clears what the project no longer has
    await this.#access.orm((em) =>
      em.upsert(ProjectRow, { locale: null, look: null, utm: null, doubleOptIn: null, from: null, ...project }),
    )
  }

  async lock(id: ProjectId): Promise<void> {
    const sql = `select "id" from "projects" where "id" = ?${this.#access.dialect.lockRows('"projects"')}`
    await this.#access.all(sql, [id])
  }

  async keys(projectId: ProjectId): Promise<readonly ApiKey[]> {
    const { apiKeys } = this.#tables
    const sql = `select ${apiKeys.list} from "api_keys" where "project_id" = ? and "revoked_at" is null order by "id" desc`
    const rows = await this.#access.all(sql, [projectId])
    return rows.map((row) => apiKeys.record(row))
  }

  async findKey(hash: string): Promise<{ readonly key: ApiKey; readonly project: Project } | undefined> {
    const { apiKeys } = this.#tables
    const keySql = `select ${apiKeys.list} from "api_keys" where "hash" = ? and "revoked_at" is null`
    const projectSql = `${this.#select} where "projects"."id" = ?`
    return this.#access.read(async (session) => {
      const [keyRow] = await session.all(keySql, [hash])
      if (keyRow === undefined) return undefined
      const key = apiKeys.record(keyRow)
      const [projectRow] = await session.all(projectSql, [key.projectId])
      return projectRow && { key, project: this.#project(projectRow) }
    })
  }

  addKey(key: ApiKey): Promise<'added' | 'exists' | 'taken'> {
    const { apiKeys } = this.#tables
    return this.#access.write(async (session) => {
      const added = await apiKeys.insert(session, [key], 'on conflict ("hash") do nothing')
      if (added > 0) return 'added'
      const [row] = await session.all('select "project_id" from "api_keys" where "hash" = ?', [key.hash])
      if (row?.project_id !== key.projectId) return 'taken'
      await session.run('update "api_keys" set "revoked_at" = null where "hash" = ?', [key.hash])
      return 'exists'
    })
  }

  revokeKeys(projectId: ProjectId, name: string, keep: readonly string[], at: Date): Promise<number> {
    return this.#access.orm((em) =>
      em.nativeUpdate(ApiKeyRow, { projectId, name, revokedAt: null, hash: { $nin: [...keep] } }, { revokedAt: at }),
    )
  }

  async revokeKey(projectId: ProjectId, id: string, at: Date): Promise<boolean> {
    const written = await this.#access.orm((em) =>
      em.nativeUpdate(ApiKeyRow, { projectId, id, revokedAt: null }, { revokedAt: at }),
    )
    return written > 0
  }

  async touchKey(id: string, at: Date): Promise<void> {
    await this.#access.orm((em) => em.nativeUpdate(ApiKeyRow, { id }, { lastUsedAt: at }))
  }

  #project(row: Row): Project {
    return projectOf(this.#tables, row)
  }
}

/** A select of projects, with further columns and an ending; with the domains in the same statement, since projects are read often. */
export function selectProjects({ projects }: Tables, columns = '', ending = ''): string {
  return `select ${projects.listOf('"projects"')}, (select string_agg("domain", ' ') from "domains"
      where "project_id" = "projects"."id" and "status" = 'VERIFIED') as "verified_domains"${columns} from "projects" ${ending}`
}

/** The project in a row of that select. Domain names contain no spaces. */
export function projectOf({ projects }: Tables, row: Row): Project {
  const project = projects.record(row)
  const { verified_domains: names } = row
  return typeof names === 'string' ? { ...project, verifiedDomains: names.split(' ') } : project
}
