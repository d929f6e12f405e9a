import * as v from 'valibot'
import { SubmittedData } from '../contacts/contact.ts'
import { Design } from '../mail/design.ts'
import { WrittenSource } from '../mail/formats/source.ts'
import { TEMPLATE_TYPES } from '../ports/store/templates.ts'
import { describedBy } from '../values/described.ts'
import { headerText } from '../values/header-text.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { MailboxText } from '../values/mailbox.ts'
import { StoredReplyTo } from '../values/mailbox-list.ts'
import { CursorQuery, type PageInput, PageQuery, wholeNumber } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { SEEN_VERSION, VersionNumber } from '../values/record-version.ts'
import { oddWhen } from '../values/unknown-keys.ts'
import { Slug } from './slug.ts'

/** How many characters a name may have. */
const NAME_LENGTH = 255

/**
 * Plunk's type of mail to subscribed contacts without a footer, which is for mails that show a way out themselves. The
 * footer here is left out of those anyway.
 */
const HEADLESS = 'HEADLESS'

/** An object as it was given. */
const AnyObject = describedBy(
  v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
  v.record(v.string(), v.unknown()),
)

const fields = {
  /** The name in lists. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH)),
  /** A description; null removes it. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  /** The subject, with placeholders. */
  subject: headerText(1, 998),
  /** The preview text that inboxes show after the subject, with placeholders; null removes it. */
  preheader: v.nullish(headerText(1, 255)),
  /** The HTML, with placeholders; required without `source`. */
  body: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** The mail as it was written in another format, of which the body is made; null removes it, and so does another body. */
  source: v.nullish(WrittenSource),
  /**
   * The visual editor's document that the body was made from; null removes it, and so does another body without one.
   */
  design: v.nullish(Design),
  /** The id of the layout around the body; null removes it. */
  layoutId: v.nullish(v.string()),
  /** The id or the slug of the topic that marketing mail goes out under; null removes it. */
  topicId: v.nullish(v.string()),
  /**
   * `TRANSACTIONAL` goes to any address, `MARKETING` only to subscribed contacts. Plunk's `HEADLESS` becomes
   * `MARKETING`.
   */
  type: v.pipe(
    v.picklist([...TEMPLATE_TYPES, HEADLESS]),
    v.transform((type) => (type === HEADLESS ? 'MARKETING' : type)),
    oddWhen((type) =>
      type === HEADLESS
        ? 'HEADLESS was taken as MARKETING: a footer is added where the mail shows no way out'
        : undefined,
    ),
  ),
  /** The sender: an address or `Ada <ada@example.com>`; its domain must be verified for the project. */
  from: v.nullish(MailboxText),
  /** The sender's name, when `from` is a bare address. */
  fromName: v.nullish(headerText(0, 255)),
  /** Where replies go: an address, or up to 20 between commas or as a list. */
  replyTo: v.nullish(StoredReplyTo),
}

export const CreateTemplate = v.object({
  ...fields,
  /** The name for requests, instead of its id; made from the name when it is left out. */
  slug: v.nullish(Slug),
})
/** The body of `POST /templates/render`. The values of `data` override those of a named contact. */
export const RenderTemplate = v.object({
  /** The subject, with placeholders. */
  subject: v.optional(headerText(0, 998), ''),
  /** The HTML, with placeholders; required without `source`. */
  body: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** Instead of the body: the mail as written in another format. */
  source: v.nullish(WrittenSource),
  /** The preview text that inboxes show after the subject, with placeholders. */
  preheader: v.nullish(headerText(1, 255)),
  /** The id of the layout around the body. */
  layoutId: v.nullish(v.string()),
  /** Values for placeholders; they override those of the contact. */
  data: v.nullish(SubmittedData),
  /** A contact whose fields are filled in as well. */
  contactId: v.nullish(v.string()),
})

/** Every field is optional; null removes an optional one. */
export const ChangeTemplate = v.object({
  ...v.partial(CreateTemplate).entries,
  ...SEEN_VERSION,
})

/** The names of what is written in a template: its versions and its draft have these. */
export const TEMPLATE_FIELDS = Object.keys(fields)

const WRITTEN = Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, asTyped(schema)]))

/** The texts of a version or a draft, as typed. */
export const WrittenFields = v.object(WRITTEN)

/**
 * The body of `PUT /templates/{id}/draft`: the fields as they are typed. What is not finished yet is kept, such as half an
 * address or a placeholder that is still open; publishing checks it.
 */
export const WriteDraft = v.object({
  ...WRITTEN,
  /** The version the draft was begun from; by default that of the earlier draft, else the current one. */
  version: v.nullish(VersionNumber),
  /** The `revision` of the draft that this one replaces, null for none: refused with `CONFLICT` when it is another. */
  revision: v.nullish(v.pipe(v.string(), v.maxLength(100))),
})

/** The body of `POST /templates/{id}/publish`. */
export const PublishDraft = v.object({
  /** The version that is replaced; by default the one the draft was begun from. Refused when it is not the current one. */
  version: v.nullish(VersionNumber),
  /** The `revision` of the draft that is meant: refused with `CONFLICT` when another was written. */
  revision: v.nullish(v.pipe(v.string(), v.maxLength(100))),
})

/** A number of a version in a path. */
export const VersionParameter = v.object({ version: wholeNumber(1, 999_999_999) })

/** Any text, or any object where the field is one, without the rules of the field. */
function asTyped(schema: v.GenericSchema): v.GenericSchema<Json | undefined> {
  const { wrapped = schema } = schema as { readonly wrapped?: v.GenericSchema }
  const isText = wrapped.type === 'string' || wrapped.type === 'picklist' || wrapped === StoredReplyTo
  return isText ? v.nullish(v.string()) : v.nullish(AnyObject)
}

/** The query of `GET /templates/{id}/versions`. */
export const ListVersions = CursorQuery

/** The query of `GET /templates`. */
export const ListTemplates = v.object({
  ...PageQuery.entries,
  /** Only templates of this type. */
  type: v.optional(v.picklist(TEMPLATE_TYPES)),
  /** A part of the name or the subject. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
})

/** A new template. */
export interface CreateTemplateInput extends InputOf<typeof CreateTemplate> {}

/** The fields of a template to change; null removes an optional one. */
export interface ChangeTemplateInput extends InputOf<typeof ChangeTemplate> {}

/** The fields of a draft, as they are typed; null stands for an optional field that is to be removed. */
export interface WriteDraftInput extends Pick<InputOf<typeof WriteDraft>, 'version' | 'revision'> {
  readonly [field: string]: Json | undefined
}

/** Which draft is published over which version. */
export interface PublishDraftInput extends InputOf<typeof PublishDraft> {}

/** A subject and a body to render. */
export interface RenderTemplateInput extends InputOf<typeof RenderTemplate> {}

/** Narrows and pages a list of templates. */
export interface ListTemplatesInput extends PageInput, Omit<InputOf<typeof ListTemplates>, keyof PageInput> {}
