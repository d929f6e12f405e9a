import type { Template, TemplateFilter, TemplateRepository } from '../../../../core/ports/store/templates.ts'
import type { NumberedRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { SluggedNoun } from '../engine/project-noun.ts'
import { Rows, type Where } from '../engine/rows.ts'

/** The templates. */
export class SqlTemplates extends SluggedNoun<Template> implements TemplateRepository {
  protected readonly rows = new Rows(this.access, this.tables.templates)

  page(projectId: ProjectId, filter: TemplateFilter, page: NumberedRequest): Promise<readonly Template[]> {
    return this.rows.page(this.#where(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: TemplateFilter): Promise<number> {
    return this.rows.count(this.#where(projectId, filter))
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
