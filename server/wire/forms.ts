import type { Form } from '../../core/ports/store/forms.ts'
import type { SubmissionWithContact } from '../../core/subscriptions/forms/forms.ts'
import type { FormRecord, SubmissionRecord } from '../schemas/forms.ts'
import type { Wire } from '../schemas/parts.ts'

/** All of a form but its project. */
export function formOnWire({ projectId, ...form }: Form): Wire<typeof FormRecord> {
  return form
}

/** What was sent, with the contact that it is about. */
export function submissionOnWire(submission: SubmissionWithContact): Wire<typeof SubmissionRecord> {
  const {
    id,
    contact,
    answers,
    consent,
    topics = null,
    address = null,
    outcome,
    createdAt,
    confirmedAt = null,
  } = submission
  const about = contact ? { id: contact.id, email: contact.email, subscribed: contact.subscribed } : null
  return { id, contact: about, answers, topics, consent, address, outcome, createdAt, confirmedAt }
}
