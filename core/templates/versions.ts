import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Author, ListedVersion, TemplateFields, TemplateVersion } from '../ports/store/template-versions.ts'
import type { Template } from '../ports/store/templates.ts'
import { isJsonObject, jsonObject } from '../values/json.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import { versionConflict } from '../values/record-version.ts'

/** How many versions of a template are kept, the current one included. */
const KEPT_VERSIONS = 100

/** The author of a change without a name. */
export const ENGINE: Author = { authorType: 'engine', authorName: 'engine' }

/** Fields that no person writes: where the template is, its name for requests, and when it changed. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['id', 'projectId', 'slug', 'version', 'createdAt', 'updatedAt'])

/** The change that adds a version. */
interface Change {
  readonly by: Author
  /** The version that is brought back. */
  readonly restoredFrom?: number | undefined
}

type Reads = Pick<Repositories, 'templateVersions'>

/** Stores the first version of a new template, which is written in the same transaction. */
export async function keepFirst(tx: Reads, { newId }: Kit, template: Template, by: Author): Promise<void> {
  await tx.templateVersions.insert(firstOf(template, newId(), by))
}

/**
 * The template with its new number, whose version is stored with what it was before, where that is from a time before
 * versions. A change that leaves all written fields as they are makes no version.
 */
export async function keepChange(
  tx: Reads,
  { newId }: Kit,
  { before, after, by, restoredFrom }: Change & { readonly before: Template; readonly after: Template },
): Promise<Template> {
  const earlier = fieldsOf(before)
  const fields = fieldsOf(after)
  const changed = changedNames(earlier, fields)
  if (changed.length === 0) return after
  const template = { ...after, version: before.version + 1 }
  const { id: templateId, projectId, version: number, updatedAt: createdAt } = template
  if (before.version === 1) await tx.templateVersions.insert(firstOf(before, newId(), ENGINE))
  await tx.templateVersions.insert({
    ...by,
    id: newId(),
    projectId,
    templateId,
    number,
    fields,
    changed,
    ...(restoredFrom === undefined ? {} : { restoredFrom }),
    createdAt,
  })
  await tx.templateVersions.removeUpTo(projectId, templateId, number - KEPT_VERSIONS)
  return template
}

/** One page of a template's versions, newest first. */
export async function listVersions(
  { templateVersions }: Reads,
  project: Project,
  template: Template,
  asked: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<ListedVersion>> {
  const list = { projectId: project.id, name: `versions:${template.id}` }
  const page = pageRequest(list, asked)
  const rows = await templateVersions.page(project.id, template.id, page)
  // from before versions, and not changed since
  if (rows.length === 0 && !page.after)
    return { items: [firstOf(template, template.id, ENGINE)], total: 1, cursor: undefined }
  const total = page.after ? 0 : await templateVersions.count(project.id, template.id)
  return pageOf(list, rows, asked.limit, total, ({ id }) => ({ value: '', id }))
}

/** One version of a template, with all it says. Throws EngineError `RESOURCE_NOT_FOUND`. */
export async function findVersion(
  { templateVersions }: Reads,
  template: Template,
  number: number,
): Promise<TemplateVersion> {
  const found = await templateVersions.find(template.projectId, template.id, number)
  if (found) return found
  if (number === 1 && template.version === 1) return firstOf(template, template.id, ENGINE)
  throw new EngineError('RESOURCE_NOT_FOUND', `There is no version ${number} of the template "${template.name}".`, {
    suggestion: `The last ${KEPT_VERSIONS} versions are kept; GET /templates/${template.id}/versions lists them.`,
  })
}

/** Throws EngineError `VERSION_CONFLICT` that names who changed the template since the caller saw it. */
export async function requireVersion(tx: Reads, template: Template, seen: number | null | undefined): Promise<void> {
  const { id, projectId, version, updatedAt } = template
  if (seen == null || seen === version) return
  const last = await tx.templateVersions.find(projectId, id, version)
  throw versionConflict('template', version, last ?? { authorName: ENGINE.authorName, createdAt: updatedAt })
}

/** The written fields of a template. */
function fieldsOf(template: Template): TemplateFields {
  return Object.fromEntries(Object.entries(template).filter(([name]) => !NOT_WRITTEN.has(name))) as TemplateFields
}

function changedNames(before: TemplateFields, after: TemplateFields): readonly string[] {
  const [earlier, later]: readonly Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => textOf(earlier?.[name]) !== textOf(later?.[name]))
}

/** A value as text, with the keys of objects in one order: databases keep them in another than they were sent in. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? jsonObject(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))) : inner,
  )
  return text ?? ''
}

function firstOf(template: Template, id: string, by: Author): TemplateVersion {
  const { projectId, id: templateId, version: number, updatedAt: createdAt } = template
  const fields = fieldsOf(template)
  return { ...by, id, projectId, templateId, number, fields, changed: Object.keys(fields), createdAt }
}
