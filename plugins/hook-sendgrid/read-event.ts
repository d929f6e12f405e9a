import type { FeedbackReport, RefusalClass, ReportedMail } from '../../core/ports/feedback-report.ts'
import type { Fields } from '../kit/hooks/fields.ts'
import { optional } from '../kit/hooks/optional.ts'
import { reportedBounce } from '../kit/hooks/reported-bounce.ts'

/**
 * Reasons why SendGrid did not send that are the address's fault: it is on SendGrid's own list, or invalid. Other
 * reasons are not.
 */
const BAD_ADDRESS: ReadonlySet<string | undefined> = new Set(['Bounced Address', 'Invalid'])

/** The reason of a mail that was not sent to a recipient who had unsubscribed at SendGrid before. */
const LEFT = 'Unsubscribed Address'

/** SendGrid's classes of bounces. For others, the reply's text decides. */
const CLASSES: Readonly<Record<string, RefusalClass>> = {
  'Invalid Address': 'permanent',
  'Technical Failure': 'transient',
  Technical: 'transient',
  Content: 'policy',
  Reputation: 'policy',
  'Frequency or Volume Too High': 'policy',
  'Frequency/Volume': 'policy',
  'Mailbox Unavailable': 'unknown',
}

/** The types of a `bounce` event. SendGrid says that a block is about the message or the sender. */
const TYPES: Readonly<Record<string, RefusalClass>> = { bounce: 'permanent', blocked: 'policy', expired: 'transient' }

/**
 * Turns an event into a report (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event). Undefined
 * when it says nothing about one of our mails, such as `processed`.
 */
export function readEvent(event: Fields, argument: string, now: Date): FeedbackReport | undefined {
  const mail = mailOf(event, argument)
  if (mail === undefined) return undefined
  const recipient = event.text('email')
  const name = event.text('event')
  const moment = event.text('timestamp') ?? ''
  const key = event.text('sg_event_id') ?? [name, moment, event.text('url') ?? ''].join(' ')
  const about = { mail, ...optional({ recipient }), at: event.moment('timestamp') ?? now, key }
  const userAgent = event.text('useragent')
  switch (name) {
    case 'delivered':
      return { kind: 'delivered', ...about }
    case 'deferred':
      return { kind: 'delayed', ...about }
    case 'spamreport':
      return { kind: 'complained', ...about }
    case 'open': {
      // Apple's proxy opens every mail
      const machine = event.isTrue('sg_machine_open') || undefined
      return { kind: 'opened', ...about, ...optional({ userAgent, machine }) }
    }
    case 'click':
      return { kind: 'clicked', ...about, ...optional({ userAgent, link: event.text('url') }) }
    case 'bounce':
      return { kind: 'bounced', ...about, bounce: bounceOf(event) }
    // also of a group: a contact who leaves there gets none of our marketing mail
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'unsubscribed', ...about }
    case 'dropped':
      return dropped(event, about)
    default:
      return undefined
  }
}

/** Our own id when it was sent along, or else the Message-ID we handed over. */
function mailOf(event: Fields, argument: string): ReportedMail | undefined {
  const emailId = event.text(argument)
  if (emailId !== undefined) return { emailId }
  const messageId = event.text('smtp-id')
  return messageId === undefined ? undefined : { messageId }
}

function bounceOf(event: Fields): NonNullable<FeedbackReport['bounce']> {
  const type = event.text('type') ?? 'bounce'
  const bySort = event.text('bounce_classification') ?? ''
  const byType = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  const bySendGrid = Object.hasOwn(CLASSES, bySort) ? CLASSES[bySort] : undefined
  // a block is never the address's fault
  const said = type === 'blocked' && bySendGrid === 'permanent' ? byType : (bySendGrid ?? byType)
  return reportedBounce({ said: said ?? 'unknown', status: event.text('status'), words: event.text('reason') })
}

function dropped(event: Fields, about: Omit<FeedbackReport, 'kind'>): FeedbackReport {
  const reason = event.text('reason')
  const bounce = { diagnostic: `SendGrid dropped it: ${reason ?? 'without a reason'}` }
  if (BAD_ADDRESS.has(reason)) return { kind: 'bounced', ...about, bounce: { ...bounce, class: 'permanent' } }
  const left = reason === LEFT ? { hasLeft: true } : {}
  return { kind: 'rejected', ...about, ...left, bounce: { ...bounce, class: 'policy' } }
}
