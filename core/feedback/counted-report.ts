import type { CompiledMail } from '../mail/compiled-mail.ts'
import { isTest } from '../mail/email.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import { DELETED_RECIPIENT } from '../ports/store/emails.ts'
import type { Counted } from '../ports/store/reputation.ts'
import { domainOf } from '../values/email-address.ts'
import type { Consequence } from './consequence.ts'
import { noteOf } from './counted.ts'

/** What an effective report adds to the figures of its mail's domains; nothing once the content is deleted. */
export function countedReport(
  { report, mail }: { readonly report: FeedbackReport; readonly mail: CompiledMail | undefined },
  { email, news }: Consequence,
  at: Date,
): readonly Counted[] {
  const { kind, bounce } = report
  if (mail === undefined || email.to === DELETED_RECIPIENT || isTest(email)) return []
  const domains = { sendingDomain: domainOf(mail.content.from.email), recipientDomain: domainOf(email.to) }
  const isBounce = kind === 'bounced' && bounce?.class === 'permanent'
  const fact = isBounce ? 'bounced' : kind === 'delivered' || kind === 'complained' ? kind : undefined
  const refusal = news.error === undefined ? {} : { refusal: noteOf(bounce?.status, news.error, email.to) }
  return [{ projectId: email.projectId, at, ...domains, facts: fact === undefined ? [] : [fact], ...refusal }]
}
