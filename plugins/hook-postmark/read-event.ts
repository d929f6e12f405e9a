import type { FeedbackReport, RefusalClass, ReportedMail } from '../../core/ports/feedback-report.ts'
import type { Fields } from '../kit/hooks/fields.ts'
import { optional } from '../kit/hooks/optional.ts'
import { reportedBounce } from '../kit/hooks/reported-bounce.ts'

/**
 * Postmark's bounce types (https://postmarkapp.com/developer/api/bounce-api#bounce-types). Those left out are no
 * bounces: automatic replies and requests to be subscribed.
 */
const BOUNCES: Readonly<Record<string, RefusalClass | 'delayed' | 'complained' | 'unsubscribed' | 'rejected'>> = {
  HardBounce: 'permanent',
  BadEmailAddress: 'permanent',
  SoftBounce: 'transient',
  DnsError: 'transient',
  // "ex: Message is delayed due to network troubles": Postmark tries again
  Transient: 'delayed',
  // a filter's verdict, not a person's
  SpamNotification: 'policy',
  VirusNotification: 'policy',
  Blocked: 'policy',
  DMARCPolicy: 'policy',
  Unknown: 'unknown',
  SpamComplaint: 'complained',
  // the recipient asked for it in an answer
  Unsubscribe: 'unsubscribed',
  // Postmark did not send it
  ManuallyDeactivated: 'rejected',
  SMTPApiError: 'rejected',
  TemplateRenderingFailed: 'rejected',
}

/** Turns an event into a report. Undefined when it says nothing about one of our mails. */
export function readEvent(event: Fields, metadata: string, now: Date): FeedbackReport | undefined {
  const mail = mailOf(event, metadata)
  if (mail === undefined) return undefined
  const messageId = event.text('MessageID')
  const recipient = event.text('Email') ?? event.text('Recipient')
  const about = (at: string, ...more: readonly string[]) => ({
    mail,
    ...optional({ recipient }),
    at: event.moment(at) ?? now,
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
    case 'SubscriptionChange': {
      const isLeft = event.isTrue('SuppressSending') && event.text('SuppressionReason') === 'ManualSuppression'
      // lists that we, or the operator, change say nothing of the recipient
      if (!isLeft || event.text('Origin') !== 'Recipient') return undefined
      return { kind: 'unsubscribed', ...about('ChangedAt') }
    }
    case 'Bounce':
      return bounce(event, about('BouncedAt'))
    default:
      return undefined
  }
}

/** Our own id when it was sent along, or else Postmark's id of the mail. */
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
  if (said === 'delayed' || said === 'complained' || said === 'unsubscribed') return { kind: said, ...about }
  if (said === 'rejected')
    return { kind: said, ...about, bounce: { class: 'policy', ...optional({ diagnostic: words }) } }
  return { kind: 'bounced', ...about, bounce: reportedBounce({ said, words }) }
}
