import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import {
  addressIn,
  suppressions as listOf,
  release,
  type Suppression,
  type SuppressionReason,
  suppress,
  suppressionOf,
} from '../kit/suppressed.ts'
import { requireOutbound } from './message.ts'

/** The most addresses of a request. */
const MAX_ADDRESSES = 50
/** The most entries of an answer. */
const MAX_ENTRIES = 10_000

const REASONS: Readonly<Record<SuppressionReason, string>> = {
  BOUNCE: 'HardBounce',
  COMPLAINT: 'SpamComplaint',
  MANUAL: 'ManualSuppression',
}

const Addresses = v.object({
  Suppressions: v.pipe(v.array(v.object({ EmailAddress: v.string() })), v.minLength(1), v.maxLength(MAX_ADDRESSES)),
})

/** The suppressions of the one stream. */
export const suppressions: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/message-streams/:stream/suppressions/dump',
    methods: ['getSuppressions'],
    difference: `of the stream \`outbound\`, and at most ${MAX_ENTRIES.toLocaleString('en')} entries: more are refused; an entry that was made by hand has the origin \`Customer\``,
    async answer({ params, query }, ours) {
      requireOutbound(params.stream)
      const asked = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]))
      const entries = await listOf(ours, {
        reason: reasonIn(asked.get('suppressionreason')),
        email: asked.get('emailaddress') || undefined,
        offset: 0,
        count: MAX_ENTRIES + 1,
        from: timeIn(asked.get('fromdate'), 'fromdate'),
        fits: fitting(asked),
      })
      if (entries.length > MAX_ENTRIES) {
        throw invalidField('fromdate', 'too_big', `and todate must leave at most ${MAX_ENTRIES} entries`)
      }
      return { status: 200, body: { Suppressions: entries.map(written) } }
    },
  },
  {
    method: 'POST',
    path: '/message-streams/:stream/suppressions',
    methods: ['createSuppressions'],
    difference: 'of the stream `outbound`',
    body: 'json',
    async answer({ params, body }, ours) {
      requireOutbound(params.stream)
      const given = parse(Addresses, body).Suppressions.map(({ EmailAddress: text }) => ({
        text,
        email: addressIn(text),
      }))
      const sound = given.flatMap(({ email }) => (email === undefined ? [] : [{ email }]))
      await suppress(ours, 'MANUAL', sound)
      return {
        status: 200,
        body: {
          Suppressions: given.map(({ text, email }) =>
            email === undefined ? invalid(text) : done(text, 'Suppressed'),
          ),
        },
      }
    },
  },
  {
    method: 'POST',
    path: '/message-streams/:stream/suppressions/delete',
    methods: ['deleteSuppressions'],
    difference: 'of the stream `outbound`',
    body: 'json',
    async answer({ params, body }, ours) {
      requireOutbound(params.stream)
      const answers: object[] = []
      for (const { EmailAddress: text } of parse(Addresses, body).Suppressions) {
        const email = addressIn(text)
        const entry = email === undefined ? undefined : await suppressionOf(ours, email)
        if (entry && entry.reason !== 'COMPLAINT') await release(ours, entry).catch(ignoreMissing)
        const isKept = entry?.reason === 'COMPLAINT'
        answers.push(isKept ? failed(text, KEPT) : email === undefined ? invalid(text) : done(text, 'Deleted'))
      }
      return { status: 200, body: { Suppressions: answers } }
    },
  },
]

const KEPT = 'You do not have the required authority to change this suppression.'

function written({ email, reason, createdAt }: Suppression): object {
  return {
    EmailAddress: email,
    SuppressionReason: REASONS[reason],
    Origin: reason === 'MANUAL' ? 'Customer' : 'Recipient',
    CreatedAt: createdAt,
  }
}

function fitting(asked: ReadonlyMap<string, string>): (entry: Suppression) => boolean {
  const to = timeIn(asked.get('todate'), 'todate')
  const origin = asked.get('origin')?.toLowerCase()
  return ({ createdAt, reason }) => {
    const at = Date.parse(createdAt)
    const isOf = !origin || origin === (reason === 'MANUAL' ? 'customer' : 'recipient')
    return isOf && at < (to ?? at + 1)
  }
}

function timeIn(text: string | undefined, name: string): number | undefined {
  if (!text) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalidField(name, 'invalid_date', 'must be a date such as 2026-01-31')
  // a day is meant as a whole
  return name === 'todate' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? at + 86_400_000 : at
}

function reasonIn(text: string | undefined): SuppressionReason | undefined {
  if (!text) return undefined
  const reason = (['BOUNCE', 'COMPLAINT', 'MANUAL'] as const).find(
    (each) => REASONS[each].toLowerCase() === text.toLowerCase(),
  )
  if (reason !== undefined) return reason
  throw invalidField('SuppressionReason', 'invalid_enum_value', `must be ${Object.values(REASONS).join(', ')}`)
}

function done(EmailAddress: string, Status: string): object {
  return { EmailAddress, Status, Message: null }
}

function failed(EmailAddress: string, Message: string): object {
  return { EmailAddress, Status: 'Failed', Message }
}

function invalid(text: string): object {
  return failed(text, 'An invalid email address was provided.')
}

function ignoreMissing(error: unknown): void {
  if (!EngineError.is(error) || error.code !== 'SUPPRESSION_NOT_FOUND') throw error
}
