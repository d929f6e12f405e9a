import { createHash } from 'node:crypto'
import { changedData, type DataChange } from '../../contacts/contact.ts'
import { saveContacts } from '../../contacts/save-contacts.ts'
import { subscriptionEvent } from '../../contacts/subscription-event.ts'
import { type UpsertedContact, upsertContact } from '../../contacts/upsert-contact.ts'
import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import type { Form, FormSubmission, SubmissionOutcome } from '../../ports/store/forms.ts'
import type { DoubleOptIn, Project } from '../../ports/store/projects.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import { retryConflicts } from '../../values/conflict.ts'
import { EVENTS } from '../../values/event-names.ts'
import { stamp } from '../../values/id.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import type { Confirmations } from '../confirmations.ts'
import { chooseTopics } from './choose-topics.ts'
import type { Solution } from './proof-of-work.ts'
import type { Answers } from './read-answers.ts'

/** How long a mailbox is not asked again, by whatever form of the project. */
const ASKED_MS = 24 * 3600 * 1000
/** How often a submission is tried when others write the same contact. */
const TRIES = 3

export interface SubmitTools {
  readonly store: Store
  readonly confirmations: Confirmations
  readonly kit: Kit
}

/** Where a submission came from, as far as it is known. */
export interface FormVisitor {
  /** The IP address of the client, for its limits. */
  readonly address?: string | undefined
  /** Those of the browser, best first. */
  readonly languages?: readonly string[]
}

/**
 * Stores a submission with what follows from it, in one transaction: the contact, the proof, the event and at most one
 * mail that asks for a confirmation. What is known about a contact is never overwritten, since anybody can type its
 * address; its answers count when it confirms.
 */
export async function submit(
  { store, confirmations, kit }: SubmitTools,
  { form, project }: { readonly form: Form; readonly project: Project },
  { email, answers, topics }: Answers,
  { address, languages = [] }: FormVisitor,
  solution?: Solution,
): Promise<void> {
  const now = kit.now()
  const sender = senderOf(project)
  const isSuppressed = (await store.suppressions.among(project.id, [email], now)).has(email)

  const take = async (tx: Repositories): Promise<SubmissionOutcome> => {
    if (solution) await useUp(tx, solution, now)
    const [before] = await tx.contacts.lockByAddress(project.id, [email])
    const isDirect = !before && !form.doubleOptIn && !isSuppressed
    const { contact, changed, events } = contactWith(before, {
      kit,
      project,
      email,
      answers,
      subscribed: isDirect,
      now,
    })
    if (changed) await saveContacts(tx, [contact])
    const outcome = isSuppressed
      ? 'suppressed'
      : before?.subscribed
        ? 'known'
        : isDirect
          ? 'subscribed'
          : await ask(tx, contact, before)
    const submission = submissionOf(form, contact, { answers, topics, outcome, address, ...stamp(kit.newId) })
    await tx.forms.addSubmission(submission)
    const chosen = outcome === 'subscribed' ? await chooseTopics(tx, contact, [submission], kit.newId) : []
    await tx.events.record([...events, ...eventsOf(kit, form, contact, submission), ...chosen])
    return outcome
  }

  /** Stores the mail that asks, unless the mailbox was asked within a day or the contact never answers. */
  const ask = async (tx: Repositories, contact: Contact, before: Contact | undefined): Promise<SubmissionOutcome> => {
    if (before && !confirmations.isDue(await confirmations.asked(before, tx), now)) return 'waiting'
    const until = new Date(now.getTime() + ASKED_MS)
    const { count } = await tx.attempts.count(askedKey(project, email), now, until)
    const mail = count > 1 ? undefined : sender && confirmations.mail(project, sender, contact, now, languages)
    if (mail === undefined) return 'waiting'
    await tx.emails.add([mail.email], [mail.content])
    return 'asked'
  }

  const outcome = await retryConflicts(TRIES, () => store.transaction(take))
  if (outcome === 'asked') confirmations.send()
}

/** Counts a solution. Throws EngineError `VALIDATION_ERROR` when it was used before, in whatever process. */
async function useUp(tx: Repositories, { challenge, until }: Solution, now: Date): Promise<void> {
  const { count } = await tx.attempts.count(`form solution ${challenge}`, now, until)
  if (count > 1)
    throw refused([{ field: 'altcha', code: 'custom', message: 'was used already; solve another challenge' }])
}

/** The sender of the mail that asks; undefined when the project has none. */
export function senderOf({ doubleOptIn, from }: Project): DoubleOptIn | undefined {
  return doubleOptIn ?? (from && { from: from.email, fromName: from.name })
}

/** The contact with the answers: a new one, or the known one with what it did not have. */
function contactWith(
  before: Contact | undefined,
  given: {
    readonly kit: Kit
    readonly project: Project
    readonly email: string
    readonly answers: JsonObject
    readonly subscribed: boolean
    readonly now: Date
  },
): UpsertedContact {
  const { kit, project, email, answers, subscribed, now } = given
  const news = Object.entries(answers).filter(([key]) => !Object.hasOwn(before?.data ?? {}, key))
  const upserted = (change: DataChange) =>
    upsertContact(
      before,
      {
        projectId: project.id,
        email,
        change,
        subscribed: before ? undefined : subscribed,
        subscribedWhenNew: false,
        trackingWhenNew: project.trackingConsent,
        mayWiden: false,
        reason: 'form',
        source: 'form',
      },
      kit.newId,
      now,
    )
  try {
    return upserted(changeOf(news))
  } catch (error) {
    // of a contact that has no room left; the answers are kept with the submission
    if (!before || !EngineError.is(error)) throw error
    return upserted(changeOf([]))
  }
}

/** The contact's data with the answers of these submissions, the newest first; it has agreed to them by now. */
export function dataWith(contact: Contact, submissions: readonly FormSubmission[]): JsonObject {
  const entries = submissions.toReversed().flatMap(({ answers }) => Object.entries(answers))
  try {
    return changedData(contact.email, contact.data, changeOf(entries))
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return contact.data
  }
}

function changeOf(entries: readonly (readonly [string, Json])[]): DataChange {
  return { set: new Map(entries), unset: new Set(), variables: {} }
}

function submissionOf(
  { id: formId, projectId, consent, fields }: Form,
  { id: contactId }: Contact,
  given: Pick<FormSubmission, 'id' | 'createdAt' | 'answers' | 'outcome'> & {
    readonly topics: FormSubmission['topics'] | undefined
    readonly address: string | undefined
  },
): FormSubmission {
  const { address, topics, outcome, createdAt, ...rest } = given
  const ticked = fields.flatMap(({ type, key, label }) =>
    type === 'consent' && label !== undefined && given.answers[key] === true ? [label] : [],
  )
  return {
    ...rest,
    projectId,
    formId,
    contactId,
    consent: [consent, ...ticked].join('\n\n'),
    outcome,
    createdAt,
    ...(topics === undefined ? {} : { topics }),
    ...(address === undefined ? {} : { address }),
    ...(outcome === 'subscribed' ? { confirmedAt: createdAt } : {}),
  }
}

function eventsOf(
  { newId }: Kit,
  { id: formId, projectId, name }: Form,
  contact: Contact,
  { answers, outcome }: FormSubmission,
): readonly EventRecord[] {
  const data = { formId, form: name, answers, outcome }
  const sent = { ...stamp(newId), projectId, name: EVENTS.formSubmitted, contactId: contact.id, data }
  return outcome === 'subscribed' ? [sent, subscriptionEvent(newId, contact, 'form', formId)] : [sent]
}

/** A hash, so that no table of addresses comes about. */
function askedKey({ id }: Project, email: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['form confirmation', id, mailboxOf(email)]))
    .digest('base64url')
}

/** The mailbox of an address, as far as most providers agree: what follows a plus is a note of its owner. */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [local = '', domain = ''] = [email.slice(0, at).split('+', 1)[0], email.slice(at + 1)]
  return /^(?:gmail|googlemail)\.com$/.test(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}
