import type { ApiKey, KeyChange, Project, ProjectRepository } from '../../../../core/ports/store/projects.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'
import type { Params, Row } from '../engine/session.ts'
import type { Tables } from '../engine/tables.ts'

const WHOLE = { on: ['id'] } as const

/** The projects and their keys. */
export class SqlProjects extends Repository implements ProjectRepository {
  readonly #projects = new Rows(this.access, this.tables.projects)
  readonly #keys = new Rows(this.access, this.tables.apiKeys)
  readonly #select = selectProjects(this.tables)

  async find(id: ProjectId): Promise<Project | undefined> {
    return (await this.#read('where "projects"."id" = ?', [id]))[0]
  }

  list(): Promise<readonly Project[]> {
    return this.#read('order by "projects"."created_at", "projects"."id"', [])
  }

  async ofArchive(slug: string): Promise<Project | undefined> {
    return (await this.#read('where "projects"."archive_slug" = ? and archive_slug is not null', [slug]))[0]
  }

  save({ verifiedDomains, isForTests, ...project }: Project): Promise<void> {
    return this.#projects.put(project, WHOLE)
  }

  async lock(id: ProjectId): Promise<void> {
    await this.#projects.lock({ id })
  }

  keys(projectId: ProjectId): Promise<readonly ApiKey[]> {
    return this.#keys.list({ projectId, revokedAt: null }, { orderBy: { id: 'desc' } })
  }

  /** By hand and on one connection, since each request with a key asks. */
  async findKey(hash: string): Promise<{ readonly key: ApiKey; readonly project: Project } | undefined> {
    const { apiKeys } = this.tables
    const keySql = `select ${apiKeys.list} from "api_keys" where "hash" = ? and "revoked_at" is null`
    const projectSql = `${this.#select} where "projects"."id" = ?`
    return this.access.read(async (session) => {
      const [keyRow] = await session.all(keySql, [hash])
      if (keyRow === undefined) return undefined
      const key = apiKeys.record(keyRow)
      const [projectRow] = await session.all(projectSql, [key.projectId])
      return projectRow && { key, project: this.#project(projectRow) }
    })
  }

  addKey(key: ApiKey): Promise<'added' | 'exists' | 'taken'> {
    const { hash, projectId } = key
    return this.access.write(async (session) => {
      const keys = this.#keys.in(session)
      if (await keys.add(key)) return 'added'
      return (await keys.change({ hash, projectId }, { revokedAt: null })) > 0 ? 'exists' : 'taken'
    })
  }

  revokeKeys(projectId: ProjectId, name: string, keep: readonly string[], at: Date): Promise<number> {
    const named = { projectId, name, revokedAt: null, $not: this.#keys.among('hash', keep) }
    return this.#keys.change(named, { revokedAt: at })
  }

  async changeKey(projectId: ProjectId, id: string, change: KeyChange): Promise<boolean> {
    return (await this.#keys.change({ projectId, id, revokedAt: null }, change)) > 0
  }

  stopKeys(projectId: ProjectId, at: Date | undefined, id?: string): Promise<number> {
    const named = { projectId, revokedAt: null, inbox: { $ne: null }, ...(id === undefined ? undefined : { id }) }
    return this.#keys.change(named, { stoppedAt: at ?? null })
  }

  lockKey(id: string): Promise<ApiKey | undefined> {
    return this.#keys.lock({ id, revokedAt: null })
  }

  async renewKey({ id, hash, prefix, expiresAt, client }: ApiKey): Promise<void> {
    await this.#keys.change({ id }, { hash, prefix, expiresAt: expiresAt ?? null, client: client ?? null })
  }

  revokeKeysOf(userId: string, at: Date, projectId?: ProjectId): Promise<number> {
    const within = projectId === undefined ? undefined : { projectId }
    return this.#keys.change({ ...within, userId, revokedAt: null }, { revokedAt: at })
  }

  async touchKey(id: string, at: Date): Promise<void> {
    await this.#keys.change({ id }, { lastUsedAt: at })
  }

  async #read(ending: string, params: Params): Promise<readonly Project[]> {
    return (await this.access.all(`${this.#select} ${ending}`, params)).map((row) => this.#project(row))
  }

  #project(row: Row): Project {
    return projectOf(this.tables, row)
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
