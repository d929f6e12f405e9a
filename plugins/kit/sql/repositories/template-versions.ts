import type {
  ListedVersion,
  TemplateDraft,
  TemplateDraftRepository,
  TemplateVersion,
  TemplateVersionRepository,
} from '../../../../core/ports/store/template-versions.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** Earlier versions of templates. */
export class SqlTemplateVersions extends Repository implements TemplateVersionRepository {
  readonly #versions = new Rows(this.access, this.tables.templateVersions)

  async insert(version: TemplateVersion): Promise<void> {
    await this.#versions.add(version)
  }

  find(projectId: ProjectId, templateId: string, number: number): Promise<TemplateVersion | undefined> {
    return this.#versions.one({ templateId, number, projectId })
  }

  /** The list leaves out their fields, which may be a megabyte each. */
  page(projectId: ProjectId, templateId: string, page: PageRequest): Promise<readonly ListedVersion[]> {
    const order = { orderBy: { number: 'desc' }, without: ['fields'] } as const
    return this.#versions.page({ templateId, projectId }, page, order)
  }

  count(projectId: ProjectId, templateId: string): Promise<number> {
    return this.#versions.count({ templateId, projectId })
  }

  async removeUpTo(projectId: ProjectId, templateId: string, number: number): Promise<void> {
    await this.#versions.remove({ templateId, number: { $lte: number }, projectId })
  }
}

const OF_PROJECT = { on: ['templateId'], within: 'projectId' } as const

/** Drafts of templates. */
export class SqlTemplateDrafts extends Repository implements TemplateDraftRepository {
  readonly #drafts = new Rows(this.access, this.tables.templateDrafts)

  find(projectId: ProjectId, templateId: string): Promise<TemplateDraft | undefined> {
    return this.#drafts.one({ templateId, projectId })
  }

  mentioning(projectId: ProjectId, text: string): Promise<readonly TemplateDraft[]> {
    return this.#drafts.list({ $and: [{ projectId }, this.#drafts.mentions(text, 'fields')] })
  }

  put(draft: TemplateDraft): Promise<void> {
    return this.#drafts.put(draft, OF_PROJECT)
  }

  async remove(projectId: ProjectId, templateId: string): Promise<void> {
    await this.#drafts.remove({ templateId, projectId })
  }
}
