import type { JsonObject } from '../../values/json.ts'
import type { MailSource } from '../../values/mail-source.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** A TRANSACTIONAL mail may go to any address, a MARKETING mail only to subscribed contacts. */
export const TEMPLATE_TYPES = ['TRANSACTIONAL', 'MARKETING'] as const
export type TemplateType = (typeof TEMPLATE_TYPES)[number]

/** A reusable subject and body, with an optional sender. */
export interface Template {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name for the team; need not be unique. */
  readonly name: string
  /** A name that requests may use instead of the id; unique in the project. */
  readonly slug?: string
  /** Its purpose; not part of the mail. */
  readonly description?: string
  /** With placeholders; at most 998 characters. */
  readonly subject: string
  /** The preview text that inboxes show after the subject, with placeholders. */
  readonly preheader?: string
  /** HTML with placeholders. */
  readonly body: string
  /** The visual editor's document that the body was made from. */
  readonly design?: JsonObject
  /** The layout around the body. */
  readonly layoutId?: string
  /** The topic its mail goes out under; only marketing templates have one. */
  readonly topicId?: string
  /** The source of the body, when it was written in another format. */
  readonly source?: MailSource
  /** Transactional or marketing: marketing mail goes only to contacts that are subscribed, with a link to unsubscribe. */
  readonly type: TemplateType
  /** The sender's address; absent: that of the project. */
  readonly from?: string
  /** The sender's name. */
  readonly fromName?: string
  /** Where replies go, with commas between several; absent: to the sender. */
  readonly replyTo?: string
  /** The number of the current version. */
  readonly version: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

export interface TemplateFilter {
  readonly type?: TemplateType
  /** Case-insensitive part of the name or the subject. */
  readonly search?: string
}

export interface TemplateRepository {
  find(projectId: ProjectId, id: string): Promise<Template | undefined>
  /** The template with this slug. */
  named(projectId: ProjectId, slug: string): Promise<Template | undefined>
  /** Those of these slugs that are taken by templates of the project. */
  takenSlugs(projectId: ProjectId, slugs: readonly string[]): Promise<ReadonlySet<string>>
  /** As `find`, inside a transaction, which locks the template until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Template | undefined>
  /** Up to `limit + 1` templates, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: TemplateFilter, page: NumberedRequest): Promise<readonly Template[]>
  count(projectId: ProjectId, filter: TemplateFilter): Promise<number>
  insert(template: Template): Promise<'inserted' | 'slug-taken'>
  /** Writes every field. */
  update(template: Template): Promise<'updated' | 'slug-taken' | 'missing'>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** How many e-mail records were made from the template. */
  emailsMade(projectId: ProjectId, id: string): Promise<number>
}
