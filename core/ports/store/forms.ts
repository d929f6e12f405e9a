import * as v from 'valibot'
import {
  byDefault,
  count,
  flag,
  id,
  json,
  label,
  list,
  moment,
  object,
  oneOf,
  optional,
  orNull,
  text,
  trimmed,
  url,
  words,
} from '../../values/kind.ts'
import type { NumberedRequest, PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, part, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'

/** The kinds of form fields. `consent` is a box to tick; `hidden` is not shown. */
export const FORM_FIELD_TYPES = ['text', 'number', 'date', 'choice', 'consent', 'hidden'] as const
export type FormFieldType = (typeof FORM_FIELD_TYPES)[number]

/** A field of a form, beside the address that every form asks for. */
export const FormField = record('FormField', 'A field of a form, beside the address that every form asks for.', {
  type: [
    oneOf(FORM_FIELD_TYPES),
    'What it asks for. `consent` is a box to tick, `hidden` is not shown.',
    given('create'),
  ],
  key: [
    words,
    'The key of the contact data that holds the answer: a letter, then letters, digits, `_` and `-`, at most 64. Each field has its own.',
    given('create'),
  ],
  label: [
    optional(label(500)),
    'What people read beside it, at most 500 characters. By default the key.',
    given('create'),
  ],
  required: [optional(flag), 'Whether it must be filled in.', given('create')],
  options: [
    optional(list(label(200), 1, 50)),
    'The answers of a choice: 1 to 50, each of at most 200 characters.',
    given('create'),
  ],
  value: [
    optional(text(0, 500)),
    'What a hidden field says unless the page says something else, at most 500 characters.',
    given('create'),
  ],
})
export interface FormField extends RecordOf<typeof FormField> {}

/** The texts of a form beside its fields and its consent text. */
export const FormTexts = record('FormTexts', 'What people read on a form.', {
  title: [label(200), 'The heading, at most 200 characters.', given('create')],
  intro: [optional(trimmed(2000)), 'What stands below the heading, at most 2,000 characters.', given('create')],
  email: [optional(trimmed(200)), 'The label of the address, at most 200 characters.', given('create')],
  button: [optional(trimmed(100)), 'The text of the button, at most 100 characters.', given('create')],
  thanks: [optional(trimmed(1000)), 'What is shown after it was sent, at most 1,000 characters.', given('create')],
})
export interface FormTexts extends RecordOf<typeof FormTexts> {}

/** A form by which people sign up. Its figures are kept with every write, not counted. */
export const Form = record('Form', 'A form by which people sign up, with its figures.', {
  ...owned('form'),
  id: [id, 'The id of the form; its page is at `/f/{id}`.'],
  name: [label(255), 'The name in lists, at most 255 characters. Visitors do not see it.', given('create', 'change')],
  active: [
    byDefault(flag, true),
    'Whether it takes submissions. The page of a form that does not says so.',
    given('create', 'change'),
  ],
  texts: [
    json<FormTexts>(part(FormTexts)),
    'What people read. What is left out has a text in the language of the page.',
    given('create', 'change'),
  ],
  fields: [
    byDefault(json<readonly FormField[]>(v.array(part(FormField))), []),
    'The fields beside the address, in the order they stand in: at most 20.',
    given('create', 'change'),
  ],
  consent: [
    label(4000),
    'What people agree to by sending it, at most 4,000 characters. Web addresses in it become links. Each submission keeps the text as it was then.',
    given('create', 'change'),
  ],
  topicIds: [
    byDefault(json<readonly string[]>(v.array(id.answer)), []),
    'The topics to choose from, in this order: at most 20. In a request, each by its id or its slug. What is ticked counts once the contact is subscribed.',
    given('create', 'change'),
  ],
  doubleOptIn: [
    byDefault(flag, true),
    'Whether people are subscribed only after they confirm by mail. By default true.',
    given('create', 'change'),
  ],
  origins: [
    byDefault(json<readonly string[]>(v.array(v.string())), []),
    'The web origins of your pages, such as `https://www.example.com`: at most 20. Their scripts may send the form, and it may lead to them afterwards.',
    given('create', 'change'),
  ],
  redirectUrl: [
    optional(url),
    'Where people are led after they sent it, on one of `origins`. Without it they see a page of this service. In a request, null removes it.',
    given('create', 'change'),
  ],
  shown: [count, 'How often it was shown.'],
  submitted: [count, 'How often it was sent.'],
  confirmed: [count, 'How many of these subscribed their contact.'],
  attackedAt: [
    optional(moment),
    'When programs last sent so much that most of it was refused; noted every ten minutes while it lasts.',
  ],
  ...VERSIONED,
  ...TIMES,
})
export interface Form extends RecordOf<typeof Form> {}

/** How often a form was shown, sent, and confirmed. */
export interface FormFigures extends Pick<Form, 'shown' | 'submitted' | 'confirmed'> {}

/**
 * The result of a submission: the contact was subscribed, asked to confirm, or not asked since it had been asked within
 * a day or too often (`waiting`), since it was subscribed already and ticked no other topic (`known`), or since its
 * address is suppressed.
 */
export const SUBMISSION_OUTCOMES = ['subscribed', 'asked', 'waiting', 'known', 'suppressed'] as const
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** One sending of a form. */
export const FormSubmission = record(
  'FormSubmission',
  'One submission of a form, with the proof of what the person agreed to.',
  {
    ...owned('submission'),
    formId: [id, 'The form.', INTERNAL],
    contactId: [id, 'The contact of the address that was given.', INTERNAL],
    answers: [object, 'What was filled in, by the keys of the fields.'],
    topics: [
      orNull(json<Readonly<Record<string, boolean>>>(v.record(v.string(), v.boolean()))),
      'Whether each topic of the form was ticked, by its id. null: the form had none.',
    ],
    consent: [words, 'What was agreed to, as it was then, with the labels of the boxes that were ticked.'],
    address: [orNull(words), 'The IP address it was sent from. null when it is not known.'],
    outcome: [
      oneOf(SUBMISSION_OUTCOMES),
      '`subscribed`: at once. `asked`: by mail to confirm. `waiting`: no mail, since the last one is less than a day old or three had no answer. `known`: was subscribed already. `suppressed`: gets no mail.',
    ],
    emailId: [
      optional(id),
      'The mail that asks for its confirmation, and whose link confirms it; absent while none does.',
      INTERNAL,
    ],
    createdAt: [moment, 'When it was sent (ISO 8601, UTC).'],
    confirmedAt: [orNull(moment), 'When the contact was subscribed because of it. null until then.'],
  },
)
export interface FormSubmission extends RecordOf<typeof FormSubmission> {}

export interface SubmissionFilter {
  /** Only those that subscribed their contact, or only the others. */
  readonly confirmed?: boolean
}

export interface FormRepository {
  find(projectId: ProjectId, id: string): Promise<Form | undefined>
  /** The form of any project: a visitor who opens its page knows only its id. */
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
   * Submissions of this contact, the newest first. By `emailId`, those that are not confirmed and that a mail asked about,
   * with those that several mails asked about, or one of an earlier edition, which name no mail. `waiting`: the latest 100 that are not confirmed and
   * that no mail asked about. `askedBy`: all that this mail asked about, confirmed or not.
   */
  ofContact(
    projectId: ProjectId,
    contactId: string,
    which: { readonly emailId: string | undefined } | { readonly askedBy: string } | 'waiting',
  ): Promise<readonly FormSubmission[]>
  /** Confirms these submissions of one project and counts them, inside a transaction. Those that are confirmed stay. */
  confirm(projectId: ProjectId, submissions: readonly FormSubmission[], at: Date): Promise<void>
  /** Notes the mail that asks for a confirmation of these; undefined where several do, of which each confirms them. */
  noteAsked(projectId: ProjectId, ids: readonly string[], emailId: string | undefined): Promise<void>
}
