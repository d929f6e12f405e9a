import type * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { Author, TemplateDraft } from '../ports/store/template-versions.ts'
import { isId } from '../values/id.ts'
import { type Json, jsonObject } from '../values/json.ts'
import { missingTemplate } from './named-template.ts'
import type { WriteDraft } from './template.ts'

/**
 * Stores what was typed instead of the earlier draft. Throws EngineError `CONFLICT` when another person wrote or
 * removed the draft since the caller saw it, `TEMPLATE_NOT_FOUND`.
 */
export async function saveDraft(
  { store, kit }: { readonly store: Store; readonly kit: Kit },
  { project, id, by }: { readonly project: Project; readonly id: string; readonly by: Author },
  { version, revision, ...fields }: v.InferOutput<typeof WriteDraft>,
): Promise<TemplateDraft> {
  if (!isId(id)) return missingTemplate(id)
  return store.transaction(async (tx) => {
    const template = (await tx.templates.lock(project.id, id)) ?? missingTemplate(id)
    const before = await tx.templateDrafts.find(project.id, id)
    requireRevision(before, revision)
    if (version != null && version > template.version) {
      throw invalidField('version', 'too_big', `must be at most ${template.version}, the current version`)
    }
    const given = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined)
    const draft: TemplateDraft = {
      ...by,
      templateId: id,
      projectId: project.id,
      fields: jsonObject(given),
      version: version ?? before?.version ?? template.version,
      revision: kit.newId(),
      updatedAt: kit.now(),
    }
    await tx.templateDrafts.put(draft)
    return draft
  })
}

/** The draft as it was seen, inside the transaction that ends it. Throws EngineError `CONFLICT` when it is another now. */
export async function endDraft(tx: Pick<Repositories, 'templateDrafts'>, seen: TemplateDraft): Promise<void> {
  const { projectId, templateId, revision } = seen
  requireRevision(await tx.templateDrafts.find(projectId, templateId), revision)
  await tx.templateDrafts.remove(projectId, templateId)
}

/** Throws EngineError `CONFLICT` unless this is the draft the caller saw; `null` saw none, undefined does not mind. */
export function requireRevision(draft: TemplateDraft | undefined, seen: string | null | undefined): void {
  if (seen === undefined || seen === (draft?.revision ?? null)) return
  const what = draft
    ? `The draft was written by ${draft.authorName} at ${draft.updatedAt.toISOString()}.`
    : 'The draft is gone: it was published or discarded.'
  throw new EngineError('CONFLICT', what, {
    fields: [{ field: 'revision', code: 'custom', message: 'is that of an earlier draft' }],
    suggestion: 'Read the template again, or leave out revision to overwrite what is there.',
  })
}

/** Throws EngineError `RESOURCE_NOT_FOUND`. */
export function missingDraft(): never {
  throw new EngineError('RESOURCE_NOT_FOUND', 'The template has no draft.', {
    suggestion: 'Write one with PUT /templates/{id}/draft, or change the template at once with PATCH /templates/{id}.',
  })
}
