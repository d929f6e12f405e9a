import { changedData, type DataChange } from '../../contacts/contact.ts'
import { saveContacts } from '../../contacts/save-contacts.ts'
import { subscriptionEvent } from '../../contacts/subscription-event.ts'
import { type UpsertedContact, upsertContact } from '../../contacts/upsert-contact.ts'
import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import type { Form, FormSubmission, SubmissionOutcome } from '../../ports/store/forms.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import type { Topic } from '../../ports/store/topics.ts'
import { retryConflicts } from '../../values/conflict.ts'
import { EVENTS } from '../../values/event-names.ts'
import { stamp } from '../../values/id.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import type { Confirmations } from '../confirmations.ts'
import { chooseTopics, tickedTopics } from './choose-topics.ts'
import type { Solution } from './proof-of-work.ts'
import type { Answers } from './read-answers.ts'

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
 * mail that asks for a confirmation. Nothing changes about a contact that is known, since any visitor can type its
 * address; the answers and the topics wait with the submission until it confirms.
 */
export async function submit(
  { store, confirmations, kit }: SubmitTools,
  { form, project }: { readonly form: Form; readonly project: Project },
  { email, answers, topics }: Answers,
  { address, languages = [] }: FormVisitor,
  solution?: Solution,
): Promise<void> {
  const now = kit.now()
  const isSuppressed = (await store.suppressions.among(project.id, [email], now)).has(email)

  const take = async (tx: Repositories, hasRoom: boolean): Promise<SubmissionOutcome> => {
    if (solution) await useUp(tx, solution, now)
    const before = (await tx.contacts.lockByAddress(project.id, [email])).get(email)
    const isDirect = !before && !form.doubleOptIn && !isSuppressed
    const { contact, events } = before
      ? { contact: before, events: [] }
      : newContact({ kit, project, email, answers, subscribed: isDirect, now })
    if (!before) await saveContacts(tx, [contact])
    const ticked = await tickedTopics(tx, contact, [{ topics }])
    const mail =
      isSuppressed || isDirect || (before?.subscribed && ticked.length === 0)
        ? 'none'
        : hasRoom && (await ask(tx, contact, ticked))
    const outcome = isSuppressed
      ? 'suppressed'
      : isDirect
        ? 'subscribed'
        : mail === 'none'
          ? 'known'
          : mail
            ? 'asked'
            : 'waiting'
    const about = { answers, topics, outcome, address, ...stamp(kit.newId) } as const
    const submission = submissionOf(
      form,
      contact,
      mail && mail !== 'none' ? { ...about, emailId: mail.email.id } : about,
    )
    await tx.forms.addSubmission(submission)
    const chosen = outcome === 'subscribed' ? await chooseTopics(tx, contact, [submission], kit.newId) : []
    await tx.events.record([...events, ...eventsOf(kit, form, contact, submission), ...chosen])
    return outcome
  }

  const ask = (tx: Repositories, contact: Contact, ticked: readonly Topic[]) =>
    confirmations.ask(tx, project, contact, now, { languages, topics: ticked.map(({ name }) => name) })

  const run = async (hasRoom: boolean) =>
    (await retryConflicts(TRIES, () => store.transaction((tx) => take(tx, hasRoom)))) === 'asked'
  if (await confirmations.turns.spend(project.id, 'confirmation', now, run)) confirmations.send()
}

/** Counts a solution. Throws EngineError `VALIDATION_ERROR` when it was used before, in whatever process. */
async function useUp(tx: Repositories, { challenge, until }: Solution, now: Date): Promise<void> {
  const { count } = await tx.attempts.count(`form solution ${challenge}`, now, until)
  if (count > 1)
    throw refused([{ field: 'altcha', code: 'custom', message: 'was used already; solve another challenge' }])
}

/** The contact of an address that was not known, with the answers and its events. */
function newContact({
  kit,
  project,
  email,
  answers,
  subscribed,
  now,
}: {
  readonly kit: Kit
  readonly project: Project
  readonly email: string
  readonly answers: JsonObject
  readonly subscribed: boolean
  readonly now: Date
}): Pick<UpsertedContact, 'contact' | 'events'> {
  const wanted = {
    projectId: project.id,
    email,
    change: changeOf(Object.entries(answers)),
    subscribed,
    subscribedWhenNew: false,
    trackingWhenNew: project.trackingConsent,
    mayWiden: false,
    reason: 'form',
    source: 'form',
  } as const
  return upsertContact(undefined, wanted, kit.newId, now)
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
  given: Pick<FormSubmission, 'id' | 'createdAt' | 'answers' | 'outcome' | 'emailId'> & {
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
