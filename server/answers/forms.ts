import * as v from 'valibot'
import { Form, FormSubmission } from '../../core/ports/store/forms.ts'
import type { SubmissionWithContact } from '../../core/subscriptions/forms/forms.ts'
import { named } from '../../core/values/described.ts'
import { answerOf } from './answer.ts'
import { Address, Count, envelope, Id, Url } from './parts.ts'

export const FormAnswer = answerOf(Form)

/** A submission, with the contact that it is about. */
export const SubmissionAnswer = answerOf(
  FormSubmission,
  { contact: v.nullable(v.object({ id: Id, email: Address, subscribed: v.boolean() })) },
  ({ contact, ...submission }: SubmissionWithContact) => {
    return {
      ...submission,
      contact: contact && { id: contact.id, email: contact.email, subscribed: contact.subscribed },
    }
  },
)

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
