import * as v from 'valibot'
import { COLUMN_TYPES } from '../../core/contacts/csv-cells.ts'
import { DELIMITERS } from '../../core/contacts/csv-file.ts'
import { COLUMN_FORMATS } from '../../core/contacts/csv-formats.ts'
import { ENCODINGS } from '../../core/contacts/csv-text.ts'
import { BULK_OPERATIONS, type ContactJob, type ContactJobType } from '../../core/ports/store/contact-jobs.ts'
import { named } from '../../core/values/described.ts'
import { Count, Fields, Id, many, Percentage, Time } from './parts.ts'

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

/** The schema of a job of these types; its result is null until it has begun. */
export function jobOf(name: string, types: readonly ContactJobType[], result: v.GenericSchema) {
  const job = {
    id: Id,
    type: v.picklist(types),
    state: v.picklist(['waiting', 'active', 'completed', 'failed']),
    progress: Percentage,
    result: v.nullable(result),
    failedReason: v.nullable(v.string()),
    createdAt: Time,
    updatedAt: Time,
  }
  return named(name, v.object(job))
}

/** A job of any type. */
export function shownJob({ id, type, state, progress, result, failedReason, createdAt, updatedAt }: ContactJob) {
  const begun = Object.keys(result).length > 0
  return {
    id,
    type,
    state,
    progress,
    result: begun ? result : null,
    failedReason: failedReason ?? null,
    createdAt,
    updatedAt,
  }
}

export const ImportJob = jobOf('ImportJob', ['import'], ImportResult)
export const BulkJob = jobOf('BulkJob', ['bulk-subscribe', 'bulk-unsubscribe', 'bulk-delete'], BulkResult)
