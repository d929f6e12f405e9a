import type { CompiledMail } from '../mail/compiled-mail.ts'
import { isTest } from '../mail/email.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import type { Activity, Email } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import { isMachine } from '../tracking/machines.ts'
import { type Act, actNow, type Tracking } from '../tracking/tracking.ts'
import type { NewId } from '../values/id.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'

/** Kinds of reports about what a person or a program did with a mail; the others are about its delivery. */
export const SEEN: ReadonlySet<FeedbackReport['kind']> = new Set(['opened', 'clicked'])

/** Items about mails, grouped by the tracking consent of their contacts. */
export type ByConsent<Of> = Readonly<Record<TrackingConsent, readonly Of[]>>

/** Groups items about mails by the tracking consent of their contacts; a removed contact allows nothing. */
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
  readonly mail: CompiledMail | undefined
  readonly place: number
}

/** The openings and clicks for the ledger, with the indexes of their reports. Untracked ones are left out. */
export function activitiesOf(
  found: readonly Reported[],
  tracking: Pick<Tracking, 'activity'>,
  newId: NewId,
): readonly { readonly activity: Activity; readonly place: number }[] {
  const counted = new Map<string, Email>()
  return found.flatMap(({ report, email: { id }, email, mail, place }) => {
    const row = counted.get(id) ?? email
    const act = actOf(report, newId)
    const activity = tracking.activity(row, mail, act)
    counted.set(id, act.kind === 'click' ? { ...row, clicks: row.clicks + 1 } : { ...row, opens: row.opens + 1 })
    return activity ? [{ activity, place }] : []
  })
}

/** The opening or click that a report describes. */
export function actOf({ kind, link, userAgent, machine: known = false }: FeedbackReport, newId: NewId): Act {
  const machine = known || (userAgent !== undefined && isMachine({ userAgent, isPrefetch: false }))
  return { ...actNow(newId), kind: kind === 'clicked' ? 'click' : 'open', machine, link }
}
