import * as v from 'valibot'
import { EMAIL_STATUSES } from '../ports/store/emails.ts'
import { HAPPENINGS, type MailMoment, type MailSearch } from '../ports/store/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import { type CursorInput, CursorQuery } from '../values/page.ts'
import { Day, Days, dayAfter, TimeZone } from '../values/time-zone.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'
import { type Searched, searchOf } from './search-words.ts'

/** The longest search. */
const MAX_SEARCH = 500

/** True: only mails to which it happened. False: only mails that were handed over, and to which it did not. */
const Only = v.optional(TrueOrFalse)
const Text = v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2000)))

export const ListEmails = v.object({
  ...CursorQuery.entries,
  /** Words that all must match: `to: from: subject: status: tag:k=v msgid: before: after: domain:`, or bare ones. */
  search: v.optional(v.pipe(v.string(), v.maxLength(MAX_SEARCH))),
  /** Only mails with this status. */
  status: v.optional(v.picklist(EMAIL_STATUSES)),
  /** Only mails to this contact. */
  contactId: v.optional(v.string()),
  /** Only mails of this campaign. */
  campaignId: v.optional(v.string()),
  /** Only mails that were handed over, or with `false` only those that were not. */
  sent: Only,
  /** Only mails that were delivered and did not come back later. */
  delivered: Only,
  /** Only mails that were opened. */
  opened: Only,
  /** Only mails of which a link was clicked. */
  clicked: Only,
  /** Only mails that bounced permanently. */
  bounced: Only,
  /** Only mails that were complained about. */
  complained: Only,
  /** Only mails by whose links the recipient unsubscribed. */
  unsubscribed: Only,
  /** Only mails that a person answered. */
  replied: Only,
  /** Only received mails that answer this mail. */
  inReplyTo: v.optional(v.string()),
  /** Only mails whose error contains this text. */
  reason: Text,
  /** Only mails of which this link was clicked. */
  link: Text,
  /** Only mails to this domain. */
  domain: Text,
  /** Only mails to which it happened on this day: what the other filters ask for, else the handing over. */
  day: v.optional(Day),
  /** The time zone of days, by its IANA name such as Europe/Berlin. Default UTC. */
  timezone: v.optional(TimeZone, 'UTC'),
})

/** Narrows and pages a list of mails. */
export interface ListEmailsInput extends CursorInput, Omit<InputOf<typeof ListEmails>, keyof CursorInput> {}

/** Statuses that say what happened last. */
const HAPPENED: Readonly<Partial<Record<string, MailMoment['what']>>> = {
  DELIVERED: 'delivered',
  OPENED: 'opened',
  CLICKED: 'clicked',
  BOUNCED: 'bounced',
  COMPLAINED: 'complained',
}

/** Which mails a query means; undefined for none at all. Throws EngineError `VALIDATION_ERROR` for words it does not know. */
export function meantBy(query: v.InferOutput<typeof ListEmails>): MailSearch | undefined {
  const { search = '', contactId, campaignId, inReplyTo, reason, link, domain, day, timezone } = query
  if ([contactId, campaignId, inReplyTo].some((id) => id !== undefined && !isId(id))) return undefined
  const days = new Days(timezone)
  const searched: Searched | undefined = searchOf(search, days)
  if (searched === undefined) return undefined
  const status = query.status ?? searched.status
  if (searched.status !== undefined && searched.status !== status) return undefined
  const words = [
    ...(domain === undefined ? [] : [{ in: 'domain', text: domain.toLowerCase().replace(/^@/, '') } as const]),
    ...(reason === undefined ? [] : [{ in: 'error', text: reason.toLowerCase() } as const]),
    ...(searched.words ?? []),
  ]
  const happened = momentsOf(query, status, day === undefined ? {} : spanOf(day, days))
  const missing = HAPPENINGS.filter((what) => query[what] === false)
  return {
    ...searched,
    ...(status === undefined ? {} : { status }),
    ...(contactId === undefined ? {} : { contactId }),
    ...(campaignId === undefined ? {} : { campaignId }),
    ...(link === undefined ? {} : { link }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    ...(words.length === 0 ? {} : { words }),
    ...(happened.length === 0 ? {} : { happened }),
    ...(missing.length === 0 ? {} : { missing }),
  }
}

/** True when a search asks for no more than the list has by itself. */
export function isPlain(search: MailSearch): boolean {
  return Object.keys(search).every((key) => ['status', 'contactId', 'campaignId'].includes(key))
}

/** How many mails fit a plain search: those of a campaign as they are kept, others counted for so long; 0 when it is too short. */
export async function totalOf(
  { emails, mails }: Pick<Store, 'emails' | 'mails'>,
  { id }: Pick<Project, 'id'>,
  search: MailSearch,
  forMs: number,
): Promise<number> {
  const { campaignId, contactId, status } = search
  if (campaignId !== undefined && contactId === undefined && status === undefined) return emails.count(id, search)
  return (await mails.countFound(id, search, forMs)) ?? 0
}

type Span = Pick<MailMoment, 'from' | 'to'>

function spanOf(day: string, days: Days): Span {
  return { from: days.start(day), to: days.start(dayAfter(day, 1)) }
}

function momentsOf(
  query: v.InferOutput<typeof ListEmails>,
  status: MailSearch['status'],
  span: Span,
): readonly MailMoment[] {
  const asked = HAPPENINGS.filter((what) => query[what])
  const byStatus = status === undefined ? undefined : HAPPENED[status]
  const all = asked.length > 0 || !span.from ? asked : [byStatus ?? ('sent' as const)]
  return all.map((what) => ({ what, ...span }))
}
