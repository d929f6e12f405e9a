import type { FeedbackReport, ReportedMail } from '../../core/ports/feedback-report.ts'
import type { Fields } from '../kit/hooks/fields.ts'
import { optional } from '../kit/hooks/optional.ts'
import { reportedBounce } from '../kit/hooks/reported-bounce.ts'

/**
 * Turns an event into a report (https://documentation.mailgun.com/docs/mailgun/user-manual/events). Undefined when it
 * says nothing about one of our mails, such as `accepted`.
 */
export function readEvent(event: Fields, variable: string, now: Date): FeedbackReport | undefined {
  const mail = mailOf(event, variable)
  if (mail === undefined) return undefined
  const recipient = event.text('recipient')
  // ids are unique within a day
  const key = [event.text('timestamp') ?? '', event.text('id') ?? ''].join(' ')
  const about = { mail, ...optional({ recipient }), at: event.moment('timestamp') ?? now, key }
  const client = event.in('client-info')
  // set when a mail provider's proxy did it, not a person
  const machine = client.text('bot') === undefined ? undefined : true
  const seen = optional({ userAgent: client.text('user-agent'), machine })
  switch (event.text('event')) {
    case 'delivered':
      return { kind: 'delivered', ...about }
    case 'complained':
      return { kind: 'complained', ...about }
    case 'opened':
      return { kind: 'opened', ...about, ...seen }
    case 'clicked':
      return { kind: 'clicked', ...about, ...seen, ...optional({ link: event.text('url') }) }
    case 'unsubscribed':
      return { kind: 'unsubscribed', ...about }
    case 'failed':
      return failed(event, about)
    case 'rejected':
      return rejected(about, event.in('reject').text('reason'))
    default:
      return undefined
  }
}

/** Our own id when it was sent along, or else the Message-ID, which Mailgun leaves as it is. */
function mailOf(event: Fields, variable: string): ReportedMail | undefined {
  const emailId = event.in('user-variables').text(variable)
  if (emailId !== undefined) return { emailId }
  const messageId = event.in('message').in('headers').text('message-id')
  return messageId === undefined ? undefined : { messageId }
}

function failed(event: Fields, about: Omit<FeedbackReport, 'kind'>): FeedbackReport {
  const reason = event.text('reason')
  const status = event.in('delivery-status')
  const words = wordsOf(status)
  const reply = { status: status.text('enhanced-code'), words }
  // the last failure after eight hours of tries, whatever its severity
  if (reason === 'old') return { kind: 'bounced', ...about, bounce: reportedBounce({ said: 'transient', ...reply }) }
  if (event.text('severity') === 'temporary') return { kind: 'delayed', ...about }
  // Mailgun did not try, since the address is on its own list
  if (reason === 'suppress-unsubscribe') return { ...rejected(about, words ?? reason), hasLeft: true }
  if (reason === 'suppress-complaint') return rejected(about, words ?? reason)
  return { kind: 'bounced', ...about, bounce: reportedBounce({ said: 'permanent', ...reply }) }
}

/** The server's reply with its code in front, which Mailgun reports separately. */
function wordsOf(status: Fields): string | undefined {
  const text = status.text('message') ?? status.text('description')
  const code = status.text('code') ?? ''
  return text === undefined || !/^[245]\d\d$/.test(code) || text.startsWith(code) ? text : `${code} ${text}`
}

function rejected(about: Omit<FeedbackReport, 'kind'>, reason: string | undefined): FeedbackReport {
  return { kind: 'rejected', ...about, bounce: { class: 'policy', ...optional({ diagnostic: reason }) } }
}
