import type { FeedbackReport, RefusalClass, ReportedMail } from '../../core/ports/feedback-report.ts'
import type { Fields } from '../kit/hooks/fields.ts'
import { optional } from '../kit/hooks/optional.ts'
import { reportedBounce } from '../kit/hooks/reported-bounce.ts'

/**
 * Postmark's types of bounces (https://postmarkapp.com/developer/api/bounce-api#bounce-types). What is missing is no bounce:
 * answers of machines, and requests to be subscribed.
 */
const BOUNCES: Readonly<Record<string, RefusalClass | 'delayed' | 'complained' | 'rejected'>> = {
  HardBounce: 'permanent',
  BadEmailAddress: 'permanent',
  SoftBounce: 'transient',
  DnsError: 'transient',
  // "ex: Message is delayed due to network troubles": it is tried again
  Transient: 'delayed',
  // a filter's word, not a person's
  SpamNotification: 'policy',
  VirusNotification: 'policy',
  Blocked: 'policy',
  DMARCPolicy: 'policy',
  Unknown: 'unknown',
  SpamComplaint: 'complained',
  // Postmark did not send it
  ManuallyDeactivated: 'rejected',
  SMTPApiError: 'rejected',
  TemplateRenderingFailed: 'rejected',
}

/** What an event says of one of our mails; undefined for one that says nothing of it. */
export function readEvent(event: Fields, metadata: string, now: Date): FeedbackReport | undefined {
  const mail = mailOf(event, metadata)
  if (mail === undefined) return undefined
  const messageId = event.text('MessageID')
  const recipient = event.text('Email') ?? event.text('Recipient')
  const about = (at: string, ...more: readonly string[]) => ({
    ...{ mail, ...optional({ recipient }), at: event.moment(at) ?? now },
    key: [messageId, event.text('ID') ?? event.text(at), ...more].join(' '),
  })
  const userAgent = event.text('UserAgent')
  switch (event.text('RecordType')) {
    case 'Delivery':
      return { kind: 'delivered', ...about('DeliveredAt') }
    case 'SpamComplaint':
      return { kind: 'complained', ...about('BouncedAt') }
    case 'Open':
      return { kind: 'opened', ...about('ReceivedAt'), ...optional({ userAgent }) }
    case 'Click': {
      const link = event.text('OriginalLink')
      return { kind: 'clicked', ...about('ReceivedAt', link ?? ''), ...optional({ userAgent, link }) }
    }
    case 'Bounce':
      return bounce(event, about('BouncedAt'))
    default:
      return undefined
  }
}

/** Our own id when it was sent along, else what Postmark calls the mail. */
function mailOf(event: Fields, metadata: string): ReportedMail | undefined {
  const emailId = event.in('Metadata').text(metadata)
  if (emailId !== undefined) return { emailId }
  const providerId = event.text('MessageID')
  return providerId === undefined ? undefined : { providerId }
}

function bounce(event: Fields, about: Omit<FeedbackReport, 'kind'>): FeedbackReport | undefined {
  const type = event.text('Type') ?? ''
  const said = Object.hasOwn(BOUNCES, type) ? BOUNCES[type] : undefined
  const words = event.text('Details') ?? event.text('Description')
  if (said === undefined) return undefined
  if (said === 'delayed' || said === 'complained') return { kind: said, ...about }
  if (said === 'rejected')
    return { kind: said, ...about, bounce: { class: 'policy', ...optional({ diagnostic: words }) } }
  return { kind: 'bounced', ...about, bounce: reportedBounce({ said, words }) }
}
