import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest, PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** What a field of a form asks for. `consent` is a box to tick; `hidden` is not shown. */
export const FORM_FIELD_TYPES = ['text', 'number', 'date', 'choice', 'consent', 'hidden'] as const
export type FormFieldType = (typeof FORM_FIELD_TYPES)[number]

/** A field of a form, beside the address that every form asks for. */
export interface FormField {
  /** What it asks for. */
  readonly type: FormFieldType
  /** The key of the contact's data that holds the answer. */
  readonly key: string
  /** What people read beside it; hidden fields have none. */
  readonly label?: string
  /** Whether it must be filled in; by default not. */
  readonly required?: boolean
  /** The answers of a choice. */
  readonly options?: readonly string[]
  /** What a hidden field says unless the page says something else. */
  readonly value?: string
}

/** What people read on a form beside its fields and its consent text. */
export interface FormTexts {
  /** The heading. */
  readonly title: string
  /** What stands below the heading. */
  readonly intro?: string
  /** The label of the address. */
  readonly email?: string
  /** The text of the button; absent: in the project's language. */
  readonly button?: string
  /** Shown after it was sent. */
  readonly thanks?: string
}

/** How often a form was shown, sent, and confirmed. Kept with every write, not counted. */
export interface FormFigures {
  /** How often it was shown. */
  readonly shown: number
  /** How often it was sent. */
  readonly submitted: number
  /** How many of these are confirmed, or need no confirmation. */
  readonly confirmed: number
}

/** A form by which people sign up. */
export interface Form extends FormFigures {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name in lists. */
  readonly name: string
  /** False: it takes no submissions. */
  readonly active: boolean
  /** What people read. */
  readonly texts: FormTexts
  /** The fields beside the address, in order. */
  readonly fields: readonly FormField[]
  /** What people agree to by sending the form. */
  readonly consent: string
  /** The topics to choose from, by id, in their order. */
  readonly topicIds: readonly string[]
  /** Whether people are subscribed only after they confirm by mail. */
  readonly doubleOptIn: boolean
  /** The web origins whose pages may send it by script, and to which it may lead afterwards. */
  readonly origins: readonly string[]
  /** Where people are led after they sent it. */
  readonly redirectUrl?: string
  /** When programs last sent so much that most of it was refused. */
  readonly attackedAt?: Date
  /** The number of its current version, from 1: each change of what people write raises it. */
  readonly version: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/**
 * What came of a submission: the contact was subscribed, asked to confirm, or not asked since it had been asked within a
 * day or too often (`waiting`), since it was subscribed already and ticked no other topic (`known`), or since its address
 * is suppressed.
 */
export const SUBMISSION_OUTCOMES = ['subscribed', 'asked', 'waiting', 'known', 'suppressed'] as const
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** One sending of a form: the proof of what somebody agreed to. */
export interface FormSubmission {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The form. */
  readonly formId: string
  /** The contact of the address that was given. */
  readonly contactId: string
  /** By the keys of the form's fields. */
  readonly answers: JsonObject
  /** The text that was agreed to, as it was then. */
  readonly consent: string
  /** Whether each topic of the form was ticked, by its id; absent when the form had none. */
  readonly topics?: Readonly<Record<string, boolean>>
  /** The IP address it came from, as far as it is known. */
  readonly address?: string
  /** What became of it. */
  readonly outcome: SubmissionOutcome
  /** The mail that asks for its confirmation, and whose link confirms it; absent while none does. */
  readonly emailId?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When the contact was subscribed because of it. */
  readonly confirmedAt?: Date
}

export interface SubmissionFilter {
  /** Only those that subscribed their contact, or only the others. */
  readonly confirmed?: boolean
}

export interface FormRepository {
  find(projectId: ProjectId, id: string): Promise<Form | undefined>
  /** The form of any project: whoever opens its page knows only its id. */
  findAnywhere(id: string): Promise<Form | undefined>
  /** As `find`, inside a transaction, which locks the form until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Form | undefined>
  /** Up to `limit + 1` forms, newest first (by id). */
  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Form[]>
  count(projectId: ProjectId): Promise<number>
  insert(form: Form): Promise<void>
  /** Writes every field but the figures and the last attack; false when there is no such form. */
  update(form: Form): Promise<boolean>
  /** Removes the form. Its submissions stay as proof until their contacts are erased. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Those of all projects that were attacked since. */
  attackedSince(since: Date): Promise<readonly Form[]>
  /** Adds to how often the form was shown, or notes when it was attacked. */
  note(id: string, what: { readonly shown: number } | { readonly attackedAt: Date }): Promise<void>
  /** Stores a submission and counts it, also as confirmed when it is. */
  addSubmission(submission: FormSubmission): Promise<void>
  /** Up to `limit + 1` submissions of the form, newest first (by id). */
  submissions(
    projectId: ProjectId,
    formId: string,
    filter: SubmissionFilter,
    page: PageRequest,
  ): Promise<readonly FormSubmission[]>
  /**
   * What this contact sent and has not confirmed, the newest first: what a mail asked about, with what earlier editions
   * asked about, which names no mail; or the latest 100 that wait and that no mail asked about.
   */
  unconfirmed(
    projectId: ProjectId,
    contactId: string,
    which: { readonly emailId: string | undefined } | 'waiting',
  ): Promise<readonly FormSubmission[]>
  /** Confirms these submissions of one project and counts them, inside a transaction. Those that are confirmed stay. */
  confirm(projectId: ProjectId, submissions: readonly FormSubmission[], at: Date): Promise<void>
  /** Notes the mail that asks for a confirmation of these. */
  noteAsked(projectId: ProjectId, ids: readonly string[], emailId: string): Promise<void>
}
