import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Address, Count, envelope, Id, many } from './parts.ts'

const Instant = v.pipe(v.string(), v.isoTimestamp())

const Mails = named(
  'SentMails',
  v.object({
    emails: many(v.object({ contact: v.object({ id: Id, email: Address }), email: Id })),
    timestamp: Instant,
  }),
)

export const SentMails = envelope(Mails)

/** A message of a batch that was refused, as its own send would be. */
const RefusedMessage = v.object({
  success: v.literal(false),
  error: v.object({
    code: v.string(),
    message: v.string(),
    statusCode: Count,
    errors: v.optional(many(v.object({ field: v.string(), message: v.string(), code: v.string() }))),
    suggestion: v.optional(v.string()),
  }),
})

export const SentBatch = envelope(
  named(
    'SentBatch',
    v.object({ results: many(v.union([v.object({ success: v.literal(true), data: Mails }), RefusedMessage])) }),
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
