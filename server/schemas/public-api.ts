import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { envelope, Id, many } from './parts.ts'

const Instant = v.pipe(v.string(), v.isoTimestamp())

export const SentMails = envelope(
  named(
    'SentMails',
    v.object({
      emails: many(v.object({ contact: v.object({ id: Id, email: v.string() }), email: Id })),
      timestamp: Instant,
    }),
  ),
)

export const VerifiedAddress = envelope(
  named(
    'VerifiedAddress',
    v.object({
      email: v.string(),
      valid: v.boolean(),
      isDisposable: v.boolean(),
      isAlias: v.boolean(),
      isTypo: v.boolean(),
      isPlusAddressed: v.boolean(),
      isPersonalEmail: v.boolean(),
      domainExists: v.boolean(),
      hasWebsite: v.boolean(),
      hasMxRecords: v.boolean(),
      suggestedEmail: v.optional(v.string()),
      reasons: many(v.string()),
    }),
  ),
)
