import * as v from 'valibot'
import { Suppression } from '../../core/ports/store/suppressions.ts'
import { named } from '../../core/values/described.ts'
import { answerOf } from './answer.ts'
import { jobOf } from './contact-jobs.ts'
import { Count, many } from './parts.ts'

export const SuppressionAnswer = answerOf(Suppression)

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

export const SuppressionJob = jobOf('SuppressionJob', ['suppressions'], ImportedSuppressions)
