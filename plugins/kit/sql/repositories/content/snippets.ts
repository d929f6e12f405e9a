import type {
  BodyHolder,
  Snippet,
  SnippetFilter,
  SnippetLinks,
  SnippetRepository,
} from '../../../../../core/ports/store/snippets.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Params, Row, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { updateRecord } from '../../engine/update-record.ts'

/** The snippets. */
export class SqlSnippets implements SnippetRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, id: string): Promise<Snippet | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<Snippet | undefined> {
    const lock = this.#access.dialect.lockRows('"snippets"')
    return (await this.#where(`"project_id" = ? and "id" = ?${lock}`, [projectId, id]))[0]
  }

  async named(projectId: ProjectId, names: readonly string[]): Promise<readonly Snippet[]> {
    if (names.length === 0) return []
    const { dialect } = this.#access
    return this.#where(`"project_id" = ? and "name" ${dialect.listed('text')}`, [projectId, dialect.list(names)])
  }

  async hold(projectId: ProjectId, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set()
    const { dialect } = this.#access
    const sql = `select "name" from "snippets" where "project_id" = ? and "name" ${dialect.listed('text')}
      order by "id"${dialect.keepRows('"snippets"')}`
    const rows = await this.#access.all(sql, [projectId, dialect.list(names)])
    return new Set(rows.map(({ name }) => String(name)))
  }

  async lockAll(projectId: ProjectId): Promise<readonly SnippetLinks[]> {
    const { dialect } = this.#access
    const [renders] = this.#tables.snippets.pick('renders')
    const sql = `select "id", "name", "renders", ${dialect.octets('"body"')} as "bytes" from "snippets"
      where "project_id" = ? order by "id"${dialect.lockRows('"snippets"')}`
    const rows = await this.#access.all(sql, [projectId])
    return rows.map((row) => ({
      id: String(row.id),
      name: String(row.name),
      renders: renders?.decode(row.renders) as readonly string[],
      bytes: Number(row.bytes),
    }))
  }

  page(projectId: ProjectId, filter: SnippetFilter, page: NumberedRequest): Promise<readonly Snippet[]> {
    const { where, params } = this.#filtered(projectId, filter)
    const after = page.after ? [page.after.id] : []
    const end = `${page.after ? ' and "id" < ?' : ''} order by "id" desc limit ? offset ?`
    return this.#where(where + end, [...params, ...after, page.limit + 1, page.offset ?? 0])
  }

  async count(projectId: ProjectId, filter: SnippetFilter): Promise<number> {
    const { where, params } = this.#filtered(projectId, filter)
    const sql = `select count(*) as "count" from "snippets" where ${where}`
    const [row] = await this.#access.all(sql, params)
    return Number(row?.count ?? 0)
  }

  async insert(snippet: Snippet): Promise<'inserted' | 'name-taken'> {
    const done = await this.#unlessTaken((session) => this.#tables.snippets.insert(session, [snippet]))
    return done === 'name-taken' ? done : 'inserted'
  }

  async update(snippet: Snippet): Promise<'updated' | 'name-taken' | 'missing'> {
    const done = await this.#unlessTaken((session) => updateRecord(session, this.#tables.snippets, snippet))
    if (done === 'name-taken') return done
    return done ? 'updated' : 'missing'
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = 'delete from "snippets" where "project_id" = ? and "id" = ?'
    return this.#access.write(async (session) => (await session.run(sql, [projectId, id])) > 0)
  }

  async mayRender(projectId: ProjectId, name: string): Promise<readonly BodyHolder[]> {
    const found: BodyHolder[] = []
    for (const [kind, table, status] of HOLDERS) {
      // SQLite keeps long texts as bytes, which match nothing
      const sql = `select "id", "name", "body"${status ? ', "status"' : ''} from ${table}
        where "project_id" = ? and cast("body" as text) like ?${status ? ` and "status" not in ('CANCELLED', 'FAILED')` : ''}
        order by "id" desc`
      const rows = await this.#access.all(sql, [projectId, `%render%${name}%`])
      found.push(...rows.map((row) => this.#holder(kind, row)))
    }
    return found
  }

  #holder(kind: BodyHolder['kind'], row: Row): BodyHolder {
    const body = String(this.#access.dialect.decode('text')(row.body))
    const status = row.status === undefined ? {} : { status: row.status as NonNullable<BodyHolder['status']> }
    return { kind, id: String(row.id), name: String(row.name), body, ...status }
  }

  #filtered(projectId: ProjectId, { search }: SnippetFilter) {
    if (search === undefined) return { where: '"project_id" = ?', params: [projectId] }
    const { dialect } = this.#access
    const text = search.toLowerCase()
    const either = `(${dialect.contains('"name"')} or ${dialect.contains('"description"')})`
    return { where: `"project_id" = ? and ${either}`, params: [projectId, text, text] }
  }

  async #where(where: string, params: Params): Promise<readonly Snippet[]> {
    const { snippets } = this.#tables
    const sql = `select ${snippets.list} from "snippets" where ${where}`
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => snippets.record(row))
  }

  async #unlessTaken<T>(write: (session: Session) => Promise<T>): Promise<T | 'name-taken'> {
    try {
      return await this.#access.attempt(write)
    } catch (error) {
      if (this.#access.dialect.isTaken(error)) return 'name-taken'
      throw error
    }
  }
}

/** What has a body, by its table; only campaigns have a status. */
const HOLDERS = [
  ['template', '"templates"', false],
  ['campaign', '"campaigns"', true],
  ['snippet', '"snippets"', false],
  ['layout', '"layouts"', false],
] as const
