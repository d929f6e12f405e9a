import * as v from 'valibot'
import { CHECK_CODES, CHECKED_FIELDS, SEVERITIES } from '../../core/checks/check-sentences.ts'
import {
  AUTHOR_TYPES,
  type Author,
  type ListedVersion,
  type TemplateDraft,
  type TemplateVersion,
} from '../../core/ports/store/template-versions.ts'
import { TEMPLATE_TYPES, type Template } from '../../core/ports/store/templates.ts'
import { WrittenFields } from '../../core/templates/template.ts'
import { named } from '../../core/values/described.ts'
import { MAIL_FORMATS } from '../../core/values/mail-source.ts'
import { answer } from './answer.ts'
import { Count, Fields, Id, many, Time } from './parts.ts'

/** Who wrote something. */
const AuthorAnswer = answer(
  'Author',
  { type: v.picklist(AUTHOR_TYPES), id: v.nullable(v.string()), name: v.string() },
  ({ authorType: type, authorId: id, authorName: name }: Author) => ({ type, id, name }),
)

export const DraftAnswer = answer(
  'TemplateDraft',
  { fields: WrittenFields, version: Count, revision: v.string(), by: AuthorAnswer.schema, updatedAt: Time },
  (draft: TemplateDraft) => ({ ...draft, by: AuthorAnswer.of(draft) }),
)

const version = {
  number: Count,
  changed: many(v.string()),
  restoredFrom: v.nullable(Count),
  by: AuthorAnswer.schema,
  createdAt: Time,
}

export const ListedVersionAnswer = answer('ListedTemplateVersion', version, (listed: ListedVersion) => {
  return { ...listed, by: AuthorAnswer.of(listed) }
})

export const VersionAnswer = answer(
  'TemplateVersion',
  { ...version, fields: WrittenFields },
  (whole: TemplateVersion) => {
    return { ...whole, by: AuthorAnswer.of(whole) }
  },
)

export const SourceRecord = named(
  'MailSource',
  v.object({ format: v.picklist(MAIL_FORMATS), text: v.string(), inlineCss: v.optional(v.boolean()) }),
)

export const TemplateAnswer = answer('Template', {
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
  draft: v.optional(DraftAnswer.schema),
  createdAt: Time,
  updatedAt: Time,
})

/** A template in a list: its design and its source may be as large as its body. */
export function templateInList({ design, source, ...listed }: Template) {
  return TemplateAnswer.of(listed)
}

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
