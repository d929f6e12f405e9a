import type { CampaignVariant } from '../../../../../core/ports/store/campaigns.ts'
import type {
  BodyHolder,
  Snippet,
  SnippetFilter,
  SnippetLinks,
  SnippetRepository,
} from '../../../../../core/ports/store/snippets.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { ProjectNoun } from '../../engine/project-noun.ts'
import { Rows, type Where } from '../../engine/rows.ts'
import type { Row } from '../../engine/session.ts'

/** The snippets. */
export class SqlSnippets extends ProjectNoun<Snippet> implements SnippetRepository {
  protected readonly rows = new Rows(this.access, this.tables.snippets)

  named(projectId: ProjectId, names: readonly string[]): Promise<readonly Snippet[]> {
    if (names.length === 0) return Promise.resolve([])
    return this.rows.list(this.#named(projectId, names))
  }

  async hold(projectId: ProjectId, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set()
    const rows = await this.rows.some(['name'], this.#named(projectId, names), { orderBy: { id: 'asc' }, lock: 'keep' })
    return new Set(rows.map(({ name }) => name))
  }

  async lockAll(projectId: ProjectId): Promise<readonly SnippetLinks[]> {
    const { snippets } = this.tables
    const columns = `"id", "name", "renders", ${this.dialect.octets('"body"')} as "bytes"`
    const rows = await this.rows.read(columns, { projectId }, { orderBy: { id: 'asc' }, lock: 'change' })
    return rows.map((row) => {
      const { id, name, renders } = snippets.record(row)
      return { id, name, renders, bytes: Number(row.bytes) }
    })
  }

  page(projectId: ProjectId, filter: SnippetFilter, page: NumberedRequest): Promise<readonly Snippet[]> {
    return this.rows.page(this.#where(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: SnippetFilter): Promise<number> {
    return this.rows.count(this.#where(projectId, filter))
  }

  insert(snippet: Snippet): Promise<'inserted' | 'name-taken'> {
    return this.insertUnless(snippet, 'name-taken')
  }

  update(snippet: Snippet): Promise<'updated' | 'name-taken' | 'missing'> {
    return this.updateUnless(snippet, 'name-taken')
  }

  async mayRender(projectId: ProjectId, name: string): Promise<readonly BodyHolder[]> {
    const found: BodyHolder[] = []
    for (const [kind, table, status] of HOLDERS) {
      // SQLite keeps long texts as bytes, which match nothing
      const columns = `"id", "name", "body"${status ? ', "status", "variants"' : ''}`
      const bodies = status ? ['"body"', '"variants"'] : ['"body"']
      const renders = bodies.map((body) => `cast(${body} as text) like ?`).join(' or ')
      const sql = `select ${columns} from ${table} where "project_id" = ? and (${renders}) order by "id" desc`
      const rows = await this.access.all(sql, [projectId, ...bodies.map(() => `%render%${name}%`)])
      found.push(...rows.flatMap((row) => this.#holders(kind, row)))
    }
    return found
  }

  /** A campaign holds the bodies of its variants, too. */
  #holders(kind: BodyHolder['kind'], row: Row): readonly BodyHolder[] {
    const body = String(this.dialect.decode('text')(row.body))
    const status = row.status === undefined ? {} : { status: row.status as NonNullable<BodyHolder['status']> }
    const holder = { kind, id: String(row.id), name: String(row.name), body, ...status }
    const variants =
      row.variants == null ? [] : (this.dialect.decode('json')(row.variants) as readonly CampaignVariant[])
    return [
      holder,
      ...variants.flatMap((variant) => (variant.body === undefined ? [] : { ...holder, body: variant.body })),
    ]
  }

  #named(projectId: ProjectId, names: readonly string[]): Where<Snippet> {
    return { $and: [{ projectId }, this.rows.among('name', names)] }
  }

  #where(projectId: ProjectId, { search }: SnippetFilter): Where<Snippet> {
    return search === undefined
      ? { projectId }
      : { $and: [{ projectId }, this.rows.contains(search, 'title', 'name', 'description')] }
  }
}

/** The things with a body, by their tables; only campaigns have a status. */
const HOLDERS = [
  ['template', '"templates"', false],
  ['campaign', '"campaigns"', true],
  ['snippet', '"snippets"', false],
  ['layout', '"layouts"', false],
] as const
