import * as v from 'valibot'
import { EMAIL_STATUSES } from '../../core/ports/store/emails.ts'
import type { AwaitedConfirmation } from '../../core/subscriptions/unconfirmed.ts'
import { named } from '../../core/values/described.ts'
import { FIELDS_READ } from '../../core/values/fields-of-contact.ts'
import { SUBSCRIPTION_REASONS } from '../../core/values/subscription-reason.ts'
import { answer } from './answer.ts'
import { Address, Count, Fields, Id, many, Percentage, Time } from './parts.ts'

const contact = {
  id: Id,
  email: Address,
  subscribed: FIELDS_READ.subscribed,
  tracking: FIELDS_READ.tracking,
  pausedUntil: v.optional(Time),
  everyDays: v.optional(v.number()),
  leftBy: v.optional(v.picklist(SUBSCRIPTION_REASONS)),
  data: Fields,
  createdAt: Time,
  updatedAt: Time,
}

export const ContactAnswer = answer('Contact', contact)

export const UpsertedContact = answer('UpsertedContact', {
  ...contact,
  _meta: v.object({ isNew: v.boolean(), isUpdate: v.boolean() }),
})

/** The confirmation that is awaited of a contact, if one is: the answer of `GET /contacts/{id}/confirmation`. */
export const ConfirmationAnswer = answer(
  'Confirmation',
  {
    since: v.nullable(Time),
    mails: many(
      v.object({ id: Id, status: v.picklist(EMAIL_STATUSES), toFolder: v.optional(v.boolean()), createdAt: Time }),
    ),
    again: v.nullable(v.picklist(['now', 'later', 'no'])),
  },
  (awaited: AwaitedConfirmation | undefined) => ({
    ...awaited,
    mails: (awaited?.mails ?? []).map(({ id, status, toFolder, createdAt }) => ({ id, status, toFolder, createdAt })),
  }),
)

/** The answer of `GET /contacts/count`. */
export const ContactCount = v.object({ count: Count })

export const LookedUpContacts = named(
  'LookedUpContacts',
  v.object({ found: many(v.string()), notFound: many(v.string()) }),
)

const FIELD_TYPES = v.picklist(['string', 'number', 'boolean', 'date', 'array', 'object'])

export const ContactFields = named(
  'ContactFields',
  v.object({
    fields: many(v.object({ field: v.string(), type: FIELD_TYPES, coverage: v.optional(Percentage) })),
    count: Count,
    total: Count,
  }),
)

export const FieldValues = named(
  'FieldValues',
  v.object({
    field: v.string(),
    values: many(v.union([v.string(), v.number(), v.boolean()])),
    count: Count,
    limit: Count,
  }),
)

/** The fields that a CONDITION can ask for. */
export const WorkflowFields = named(
  'WorkflowFields',
  v.object({
    fields: many(v.string()),
    typedFields: many(v.object({ field: v.string(), type: FIELD_TYPES, category: v.picklist(['contact', 'event']) })),
    count: Count,
  }),
)

export const DeletedFrom = named('DeletedFrom', v.object({ deletedFrom: Count }))
