import * as v from 'valibot'
import { COLUMN_TYPES } from '../../core/contacts/csv-cells.ts'
import { DELIMITERS } from '../../core/contacts/csv-file.ts'
import { COLUMN_FORMATS } from '../../core/contacts/csv-formats.ts'
import { ENCODINGS } from '../../core/contacts/csv-text.ts'
import { BULK_OPERATIONS } from '../../core/ports/store/contact-jobs.ts'
import { EMAIL_STATUSES } from '../../core/ports/store/emails.ts'
import { named } from '../../core/values/described.ts'
import { FIELDS_READ } from '../../core/values/fields-of-contact.ts'
import { SUBSCRIPTION_REASONS } from '../../core/values/subscription-reason.ts'
import { Address, Count, Fields, Id, many, Percentage, Time, Uses } from './parts.ts'

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

export const ContactRecord = named('Contact', v.object(contact))

export const UpsertedContact = named(
  'UpsertedContact',
  v.object({ ...contact, _meta: v.object({ isNew: v.boolean(), isUpdate: v.boolean() }) }),
)

/** The answer of `GET /contacts/{id}/confirmation`. */
export const ConfirmationRecord = named(
  'Confirmation',
  v.object({
    since: v.nullable(Time),
    mails: many(
      v.object({ id: Id, status: v.picklist(EMAIL_STATUSES), toFolder: v.optional(v.boolean()), createdAt: Time }),
    ),
    again: v.nullable(v.picklist(['now', 'later', 'no'])),
  }),
)

/** The answer of `GET /contacts/count`. */
export const ContactCount = v.object({ count: Count })

export const LookedUpContacts = named(
  'LookedUpContacts',
  v.object({ found: many(v.string()), notFound: many(v.string()) }),
)

export const AcceptedJob = named('AcceptedJob', v.object({ jobId: Id, message: v.string() }))

const ColumnReports = many(
  v.object({
    header: v.string(),
    key: v.nullable(v.string()),
    type: v.nullable(v.picklist([...COLUMN_TYPES, 'mixed'])),
    format: v.optional(v.picklist(COLUMN_FORMATS)),
    asks: v.optional(
      v.object({
        type: v.picklist(['number', 'date']),
        formats: many(v.picklist(COLUMN_FORMATS)),
        examples: many(v.object({ row: Count, cell: v.string() })),
      }),
    ),
    isConsent: v.optional(v.boolean()),
    suggestedKey: v.optional(v.string()),
    note: v.optional(v.string()),
  }),
)

const RefusedRows = many(v.object({ row: Count, email: v.string(), error: v.string() }))

const ImportResult = named(
  'ImportResult',
  v.object({
    encoding: v.optional(v.picklist(ENCODINGS)),
    columns: v.optional(ColumnReports),
    notes: v.optional(many(v.string())),
    totalRows: Count,
    successCount: Count,
    createdCount: Count,
    updatedCount: Count,
    failureCount: Count,
    // imports that had ended before these were counted have none
    keptUnsubscribed: v.optional(Count),
    resubscribed: v.optional(Count),
    // imports that had ended before rows were kept have none
    keptCount: v.optional(Count),
    errors: RefusedRows,
  }),
)

export const ImportPreview = named(
  'ImportPreview',
  v.object({
    encoding: v.picklist(ENCODINGS),
    delimiter: v.picklist(DELIMITERS),
    columns: ColumnReports,
    notes: many(v.string()),
    totalRows: Count,
    createdCount: Count,
    updatedCount: Count,
    failureCount: Count,
    subscribedCount: Count,
    unsubscribedCount: Count,
    keptUnsubscribed: Count,
    resubscribed: Count,
    missingTopics: many(v.object({ name: v.string(), rows: Count })),
    rows: many(
      v.object({
        row: Count,
        email: v.string(),
        isNew: v.boolean(),
        subscribed: v.nullable(v.boolean()),
        data: Fields,
      }),
    ),
    errors: RefusedRows,
  }),
)

const BulkResult = named(
  'BulkResult',
  v.object({
    operation: v.picklist(BULK_OPERATIONS),
    totalRequested: Count,
    successCount: Count,
    changedIds: v.optional(many(Id)),
    unchangedCount: Count,
    keptUnsubscribed: v.optional(Count),
    failureCount: Count,
    errors: many(v.object({ id: v.string(), error: v.string() })),
  }),
)

/** A job of this family; its result is null until it has begun. */
export function jobOf<const Types extends readonly string[]>(types: Types, result: v.GenericSchema) {
  return v.object({
    id: Id,
    type: v.picklist(types),
    state: v.picklist(['waiting', 'active', 'completed', 'failed']),
    progress: Percentage,
    result: v.nullable(result),
    failedReason: v.nullable(v.string()),
    createdAt: Time,
    updatedAt: Time,
  })
}

export const ImportJob = named('ImportJob', jobOf(['import'], ImportResult))
export const BulkJob = named('BulkJob', jobOf(['bulk-subscribe', 'bulk-unsubscribe', 'bulk-delete'], BulkResult))

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

export const FieldUsage = named('FieldUsage', v.object({ ...Uses, contactCount: Count, canDelete: v.boolean() }))

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
