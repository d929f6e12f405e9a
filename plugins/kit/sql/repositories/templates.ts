import type { Template, TemplateFilter, TemplateRepository } from '../../../../core/ports/store/templates.ts'
import type { NumberedRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { ProjectNoun } from '../engine/project-noun.ts'
import { Rows, type Where } from '../engine/rows.ts'

/** The templates. */
export class SqlTemplates extends ProjectNoun<Template> implements TemplateRepository {
  protected readonly rows = new Rows(this.access, this.tables.templates)

  named(projectId: ProjectId, slug: string): Promise<Template | undefined> {
    return this.rows.one({ projectId, slug })
  }

  async takenSlugs(projectId: ProjectId, slugs: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.rows.read('"slug"', { $and: [{ projectId }, this.rows.among('slug', slugs)] })
    return new Set(rows.map((row) => String(row.slug)))
  }

  page(projectId: ProjectId, filter: TemplateFilter, page: NumberedRequest): Promise<readonly Template[]> {
    return this.rows.page(this.#where(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: TemplateFilter): Promise<number> {
    return this.rows.count(this.#where(projectId, filter))
  }

  insert(template: Template): Promise<'inserted' | 'slug-taken'> {
    return this.insertUnless(template, 'slug-taken')
  }

  update(template: Template): Promise<'updated' | 'slug-taken' | 'missing'> {
    return this.updateUnless(template, 'slug-taken')
  }

  emailsMade(projectId: ProjectId, id: string): Promise<number> {
    return new Rows(this.access, this.tables.emails).count({ projectId, templateId: id })
  }

  #where(projectId: ProjectId, { type, search }: TemplateFilter): Where<Template> {
    const parts: Where<Template>[] = [{ projectId }]
    if (type !== undefined) parts.push({ type })
    if (search !== undefined) parts.push(this.rows.contains(search, 'name', 'subject'))
    return { $and: parts }
  }
}
