import { isTest } from '../mail/email.ts'
import type { ReadyMail } from '../mail/ready-mail.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import type { Activity, Email } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import { isMachine } from '../tracking/machines.ts'
import type { Act, Tracking } from '../tracking/tracking.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'

/** Kinds of reports that tell what somebody did with a mail; the others tell what became of it. */
export const SEEN: ReadonlySet<FeedbackReport['kind']> = new Set(['opened', 'clicked'])

/** What concerns mails, by what their contacts allow to be tracked. */
export type ByConsent<Of> = Readonly<Record<TrackingConsent, readonly Of[]>>

/** Sorts what concerns mails by what their contacts allow to be tracked; one that was removed allows nothing. */
export async function byConsent<Of extends { readonly email: Email }>(
  { contacts }: Pick<Store, 'contacts'>,
  all: readonly Of[],
): Promise<ByConsent<Of>> {
  const known = new Map<string, TrackingConsent>()
  for (const [projectId, each] of Map.groupBy(all, ({ email }) => email.projectId)) {
    const ids = each.flatMap(({ email }) => email.contactId ?? [])
    for (const { id, tracking } of ids.length > 0 ? await contacts.findAll(projectId, ids) : []) known.set(id, tracking)
  }
  const consentOf = (email: Email): TrackingConsent => {
    if (email.contactId === undefined) return isTest(email) ? 'full' : 'none'
    return known.get(email.contactId) ?? 'none'
  }
  const of = (consent: TrackingConsent) => all.filter(({ email }) => consentOf(email) === consent)
  return { full: of('full'), anonymous: of('anonymous'), none: of('none') }
}

interface Reported {
  readonly report: FeedbackReport
  readonly email: Email
  readonly mail: ReadyMail | undefined
  readonly place: number
}

/** What was done, for the ledger, with the places of its reports. What was not tracked is left out. */
export function activitiesOf(
  found: readonly Reported[],
  tracking: Pick<Tracking, 'activity'>,
  at: Date,
): readonly { readonly activity: Activity; readonly place: number }[] {
  const counted = new Map<string, Email>()
  return found.flatMap(({ report, email: { id }, email, mail, place }) => {
    const row = counted.get(id) ?? email
    const act = actOf(report, at)
    const activity = tracking.activity(row, mail, act)
    counted.set(id, act.kind === 'click' ? { ...row, clicks: row.clicks + 1 } : { ...row, opens: row.opens + 1 })
    return activity ? [{ activity, place }] : []
  })
}

/** What a report says somebody did. */
export function actOf({ kind, link, userAgent, machine: known = false }: FeedbackReport, at: Date): Act {
  const machine = known || (userAgent !== undefined && isMachine({ userAgent, isPrefetch: false }))
  return { kind: kind === 'clicked' ? 'click' : 'open', at, machine, link }
}
