import * as v from 'valibot'
import { FORM_FIELD_TYPES, SUBMISSION_OUTCOMES } from '../../core/ports/store/forms.ts'
import { named } from '../../core/values/described.ts'
import { Address, Count, envelope, Fields, Id, many, Time, Url } from './parts.ts'

const FieldOfForm = named(
  'FormField',
  v.object({
    type: v.picklist(FORM_FIELD_TYPES),
    key: v.string(),
    label: v.optional(v.string()),
    required: v.optional(v.boolean()),
    options: v.optional(many(v.string())),
    value: v.optional(v.string()),
  }),
)

const Texts = named(
  'FormTexts',
  v.object({
    title: v.string(),
    intro: v.optional(v.string()),
    email: v.optional(v.string()),
    button: v.optional(v.string()),
    thanks: v.optional(v.string()),
  }),
)

export const FormRecord = named(
  'Form',
  v.object({
    id: Id,
    name: v.string(),
    active: v.boolean(),
    texts: Texts,
    fields: many(FieldOfForm),
    consent: v.string(),
    topicIds: many(Id),
    doubleOptIn: v.boolean(),
    origins: many(v.string()),
    redirectUrl: v.optional(Url),
    shown: Count,
    submitted: Count,
    confirmed: Count,
    attackedAt: v.optional(Time),
    version: Count,
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const SubmissionRecord = named(
  'FormSubmission',
  v.object({
    id: Id,
    contact: v.nullable(v.object({ id: Id, email: Address, subscribed: v.boolean() })),
    answers: Fields,
    topics: v.nullable(v.record(v.string(), v.boolean())),
    consent: v.string(),
    address: v.nullable(v.string()),
    outcome: v.picklist(SUBMISSION_OUTCOMES),
    createdAt: Time,
    confirmedAt: v.nullable(Time),
  }),
)

/** What visitors send; the other keys are those of the form's fields. */
export const SentForm = v.object({
  email: Address,
  _redirect: v.optional(Url),
  _website: v.optional(v.string()),
  altcha: v.optional(v.string()),
})

/** What the page to leave by address takes. */
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
