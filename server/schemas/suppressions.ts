import * as v from 'valibot'
import { SUPPRESSION_REASONS } from '../../core/ports/store/suppressions.ts'
import { named } from '../../core/values/described.ts'
import { jobOf } from './contacts.ts'
import { Address, Count, Id, many, Time } from './parts.ts'

export const SuppressionRecord = named(
  'Suppression',
  v.object({
    id: Id,
    email: Address,
    reason: v.picklist(SUPPRESSION_REASONS),
    detail: v.nullable(v.string()),
    createdAt: Time,
    expiresAt: v.nullable(Time),
  }),
)

export const ImportedSuppressions = named(
  'ImportedSuppressions',
  v.object({
    totalRows: Count,
    successCount: Count,
    createdCount: Count,
    failureCount: Count,
    errors: many(v.object({ row: Count, email: v.string(), error: v.string() })),
  }),
)

export const SuppressionJob = named('SuppressionJob', jobOf(['suppressions'], ImportedSuppressions))
