import type { Author, ListedVersion, TemplateDraft, TemplateVersion } from '../../core/ports/store/template-versions.ts'
import type { Wire } from '../schemas/parts.ts'
import type { DraftRecord, ListedVersionRecord, VersionRecord } from '../schemas/templates.ts'

/** A draft. */
export function draftOnWire(draft: TemplateDraft): Wire<typeof DraftRecord> {
  const { fields, version, revision, updatedAt } = draft
  return { fields, version, revision, by: authorOnWire(draft), updatedAt }
}

/** A version without what it says. */
export function versionInList(listed: ListedVersion): Wire<typeof ListedVersionRecord> {
  const { number, changed, restoredFrom = null, createdAt } = listed
  return { number, changed, restoredFrom, by: authorOnWire(listed), createdAt }
}

/** A version with all it says. */
export function versionOnWire(version: TemplateVersion): Wire<typeof VersionRecord> {
  return { ...versionInList(version), fields: { ...version.fields } }
}

function authorOnWire({ authorType: type, authorId, authorName: name }: Author) {
  return { type, id: authorId ?? null, name }
}
