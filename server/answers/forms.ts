import * as v from 'valibot'
import { Form, FormSubmission } from '../../core/ports/store/forms.ts'
import type { SubmissionWithContact } from '../../core/subscriptions/forms/forms.ts'
import { named } from '../../core/values/described.ts'
import { Address, Count, envelope, Id, Url } from '../schemas/parts.ts'
import { answerOf } from './answer-of.ts'

export const FormAnswer = answerOf(Form)

export const SubmissionAnswer = answerOf(FormSubmission, {
  contact: v.nullable(v.object({ id: Id, email: Address, subscribed: v.boolean() })),
})

/** A submission, with the contact that it is about. */
export function submissionOnWire({ contact, ...submission }: SubmissionWithContact) {
  const about = contact ? { id: contact.id, email: contact.email, subscribed: contact.subscribed } : null
  return SubmissionAnswer.of(submission, { contact: about })
}

/** A submission as visitors send it; the other keys are those of the form's fields. */
export const SentForm = v.object({
  email: Address,
  _redirect: v.optional(Url),
  _website: v.optional(v.string()),
  altcha: v.optional(v.string()),
})

/** The body of the page to leave by address. */
export const SentAddress = v.object({ email: Address })

export const ChallengeRecord = named(
  'FormChallenge',
  v.object({
    algorithm: v.literal('SHA-256'),
    challenge: v.string(),
    maxnumber: Count,
    salt: v.string(),
    signature: v.string(),
  }),
)

export const FormReceipt = envelope(v.object({ title: v.string(), message: v.string(), redirectUrl: v.nullable(Url) }))

export const LeaveReceipt = envelope(v.object({ title: v.string(), message: v.string() }))
