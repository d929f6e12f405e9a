import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import { IsoDate } from '../../core/values/iso-date.ts'
import { parse, refused, say } from '../../core/values/parse.ts'

const KINDS = [
  'delivered',
  'delayed',
  'bounced',
  'complained',
  'opened',
  'clicked',
  'rejected',
  'unsubscribed',
] as const

const text = (longest: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(longest))

const Mail = v.pipe(
  v.object({
    emailId: v.optional(text(100)),
    messageId: v.optional(text(1000)),
    providerId: v.optional(text(500)),
  }),
  v.check(
    (mail) => Object.values(mail).filter((name) => name !== undefined).length === 1,
    say('custom', 'must have one of emailId, messageId, providerId'),
  ),
)

/** A report as JSON: our own form, but the time, the key and a bounce's class may be left out. */
const Report = v.object({
  kind: v.picklist(KINDS),
  mail: Mail,
  recipient: v.optional(text(1000)),
  at: v.optional(IsoDate),
  key: v.optional(text(1000)),
  bounce: v.optional(
    v.object({
      class: v.optional(v.picklist(['permanent', 'transient', 'policy', 'unknown'])),
      status: v.optional(text(20)),
      diagnostic: v.optional(v.string()),
    }),
  ),
  hasLeft: v.optional(v.boolean()),
  link: v.optional(v.string()),
  userAgent: v.optional(v.string()),
  machine: v.optional(v.boolean()),
})

/** The request a report came in, and its place there. */
export interface ReportPlace {
  /** The request's `webhook-id`, which stays the same when it is sent again. */
  readonly id: string
  readonly now: Date
  readonly isList: boolean
  readonly place: number
}

/**
 * Reads one report. Throws EngineError `VALIDATION_ERROR` naming the fields, each with the report's
 * place in the list in front.
 */
export function readReport(given: unknown, { id, now, isList, place }: ReportPlace): FeedbackReport {
  try {
    const { mail, at = now, key = `${id} ${place}`, bounce, kind, ...rest } = parse(Report, given)
    const { recipient, hasLeft, link, userAgent, machine } = rest
    return {
      kind,
      mail: mail as FeedbackReport['mail'],
      at,
      key,
      ...(recipient === undefined ? {} : { recipient }),
      ...(kind === 'bounced' ? { bounce: (bounce ?? {}) as NonNullable<FeedbackReport['bounce']> } : {}),
      ...(hasLeft === undefined ? {} : { hasLeft }),
      ...(link === undefined ? {} : { link }),
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(machine === undefined ? {} : { machine }),
    }
  } catch (error) {
    if (!isList || !EngineError.is(error)) throw error
    throw refused(
      error.fields.map((problem) => ({ ...problem, field: `${place}.${problem.field}`.replace(/\.$/, '') })),
    )
  }
}
