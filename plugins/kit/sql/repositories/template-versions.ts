import type {
  ListedVersion,
  TemplateDraft,
  TemplateDraftRepository,
  TemplateVersion,
  TemplateVersionRepository,
} from '../../../../core/ports/store/template-versions.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import { Conditions } from '../engine/conditions.ts'
import type { Tables } from '../engine/tables.ts'

/** What templates were. */
export class SqlTemplateVersions implements TemplateVersionRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async insert(version: TemplateVersion): Promise<void> {
    const clause = 'on conflict ("template_id", "number") do nothing'
    await this.#access.write((session) => this.#tables.templateVersions.insert(session, [version], clause))
  }

  async find(projectId: ProjectId, templateId: string, number: number): Promise<TemplateVersion | undefined> {
    const { templateVersions } = this.#tables
    const sql = `select ${templateVersions.list} from "template_versions"
      where "template_id" = ? and "number" = ? and "project_id" = ?`
    const [row] = await this.#access.all(sql, [templateId, number, projectId])
    return row && templateVersions.record(row)
  }

  /** What they say is left out of the list: it may be a megabyte each. */
  async page(
    projectId: ProjectId,
    templateId: string,
    { limit, after }: PageRequest,
  ): Promise<readonly ListedVersion[]> {
    const { templateVersions } = this.#tables
    const where = new Conditions().and('"template_id" = ? and "project_id" = ?', templateId, projectId)
    if (after) where.and('"id" < ?', after.id)
    const sql = `select ${templateVersions.listOf('', ['fields'])} from "template_versions"
      where ${where.text} order by "number" desc limit ?`
    const rows = await this.#access.all(sql, [...where.params, limit + 1])
    return rows.map((row) => templateVersions.record(row))
  }

  async count(projectId: ProjectId, templateId: string): Promise<number> {
    const sql = 'select count(*) as "count" from "template_versions" where "template_id" = ? and "project_id" = ?'
    const [row] = await this.#access.all(sql, [templateId, projectId])
    return Number(row?.count)
  }

  async removeUpTo(projectId: ProjectId, templateId: string, number: number): Promise<void> {
    const sql = 'delete from "template_versions" where "template_id" = ? and "number" <= ? and "project_id" = ?'
    await this.#access.run(sql, [templateId, number, projectId])
  }
}

/** Drafts of templates. */
export class SqlTemplateDrafts implements TemplateDraftRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, templateId: string): Promise<TemplateDraft | undefined> {
    const { templateDrafts } = this.#tables
    const sql = `select ${templateDrafts.list} from "template_drafts" where "template_id" = ? and "project_id" = ?`
    const [row] = await this.#access.all(sql, [templateId, projectId])
    return row && templateDrafts.record(row)
  }

  async put(draft: TemplateDraft): Promise<void> {
    const { templateDrafts } = this.#tables
    const clause = templateDrafts.overwrite({ on: ['templateId'], within: 'projectId' })
    await this.#access.write((session) => templateDrafts.insert(session, [draft], clause))
  }

  async remove(projectId: ProjectId, templateId: string): Promise<void> {
    const sql = 'delete from "template_drafts" where "template_id" = ? and "project_id" = ?'
    await this.#access.run(sql, [templateId, projectId])
  }
}
