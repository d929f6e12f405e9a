import * as v from 'valibot'
import { CHECK_CODES, CHECKED_FIELDS, SEVERITIES } from '../../core/checks/check-sentences.ts'
import { AUTHOR_TYPES } from '../../core/ports/store/template-versions.ts'
import { TEMPLATE_TYPES } from '../../core/ports/store/templates.ts'
import { WrittenFields } from '../../core/templates/template.ts'
import { named } from '../../core/values/described.ts'
import { MAIL_FORMATS } from '../../core/values/mail-source.ts'
import { Count, Fields, Id, many, NamedUse, StepUse, Time } from './parts.ts'

/** Who wrote something. */
const AuthorRecord = named(
  'Author',
  v.object({ type: v.picklist(AUTHOR_TYPES), id: v.nullable(v.string()), name: v.string() }),
)

export const DraftRecord = named(
  'TemplateDraft',
  v.object({
    fields: WrittenFields,
    version: Count,
    revision: v.string(),
    by: AuthorRecord,
    updatedAt: Time,
  }),
)

const version = {
  number: Count,
  changed: many(v.string()),
  restoredFrom: v.nullable(Count),
  by: AuthorRecord,
  createdAt: Time,
}

export const ListedVersionRecord = named('ListedTemplateVersion', v.object(version))

export const VersionRecord = named('TemplateVersion', v.object({ ...version, fields: WrittenFields }))

export const SourceRecord = named(
  'MailSource',
  v.object({ format: v.picklist(MAIL_FORMATS), text: v.string(), inlineCss: v.optional(v.boolean()) }),
)

export const TemplateRecord = named(
  'Template',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.optional(v.string()),
    description: v.optional(v.string()),
    subject: v.string(),
    preheader: v.optional(v.string()),
    body: v.string(),
    layoutId: v.optional(Id),
    topicId: v.optional(Id),
    // not in lists
    design: v.optional(Fields),
    source: v.optional(SourceRecord),
    type: v.picklist(TEMPLATE_TYPES),
    from: v.optional(v.string()),
    fromName: v.optional(v.string()),
    replyTo: v.optional(v.string()),
    version: Count,
    // only where one template is read
    draft: v.optional(DraftRecord),
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const RenderedTemplate = named(
  'RenderedTemplate',
  v.object({ subject: v.string(), html: v.string(), text: v.string() }),
)

const FindingRecord = named(
  'MailFinding',
  v.object({
    code: v.picklist(CHECK_CODES),
    severity: v.picklist(SEVERITIES),
    message: v.string(),
    field: v.picklist(CHECKED_FIELDS),
    params: v.record(v.string(), v.union([v.string(), v.number()])),
  }),
)

export const CheckedMailRecord = named(
  'CheckedMail',
  v.object({
    findings: many(FindingRecord),
    figures: v.object({
      htmlBytes: Count,
      textBytes: Count,
      links: Count,
      images: Count,
      imageBytes: Count,
      asked: Count,
    }),
  }),
)

/** Where a snippet or a layout is used. */
export const ContentUses = named(
  'ContentUses',
  v.object({
    templates: many(NamedUse),
    campaigns: many(NamedUse),
    snippets: many(NamedUse),
    layouts: many(NamedUse),
    workflows: many(StepUse),
  }),
)

export const TemplateUses = named(
  'TemplateUses',
  v.object({ campaigns: many(NamedUse), workflows: many(StepUse), emailsSent: Count }),
)
