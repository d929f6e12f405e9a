import type { FeedbackReport, RefusalClass, ReportedMail } from '../../core/ports/feedback-report.ts'
import type { Fields } from '../kit/hooks/fields.ts'
import { optional } from '../kit/hooks/optional.ts'
import { reportedBounce } from '../kit/hooks/reported-bounce.ts'
import { EMAIL_TAG } from '../kit/ses/email-tag.ts'

/** Amazon allows 50 recipients per mail. */
const MAX_RECIPIENTS = 100

/** Amazon did not send it, since the address bounced or complained before. */
const SUPPRESSED: ReadonlySet<string | undefined> = new Set(['Suppressed', 'OnAccountSuppressionList'])

/** The mail a notice is about, and when it happened. */
interface About {
  readonly mail: ReportedMail
  readonly at: Date
  readonly key: string
}

/**
 * Turns a notice into reports, one for each recipient. Reads both forms: identity notices (`notificationType`) and
 * configuration set events (`eventType`); see "Contents of event data that Amazon SES publishes to Amazon SNS". Empty
 * for `Send` and unknown types.
 */
export function readNotice(notice: Fields, now: Date): readonly FeedbackReport[] {
  const mail = mailOf(notice.in('mail'))
  if (mail === undefined) return []
  const about = (part: string, ...more: readonly string[]): About => {
    const fields = notice.in(part)
    const time = fields.text('timestamp') ?? notice.in('mail').text('timestamp') ?? ''
    const key = [notice.in('mail').text('messageId') ?? '', fields.text('feedbackId') ?? time, ...more].join(' ')
    return { mail, at: fields.moment('timestamp') ?? now, key }
  }
  switch (notice.text('eventType') ?? notice.text('notificationType')) {
    case 'Bounce':
      return bounced(notice.in('bounce'), about('bounce'))
    case 'Complaint':
      return complained(notice.in('complaint'), about('complaint'))
    case 'Delivery':
      return delivered(notice.in('delivery').texts('recipients'), about('delivery'))
    case 'DeliveryDelay':
      return [{ kind: 'delayed', ...about('deliveryDelay') }]
    case 'Open':
      return [{ kind: 'opened', ...about('open'), ...onlyRecipient(notice), ...userAgent(notice.in('open')) }]
    case 'Click': {
      const click = notice.in('click')
      const link = click.text('link')
      const seen = { ...onlyRecipient(notice), ...userAgent(click), ...optional({ link }) }
      return [{ kind: 'clicked', ...about('click', link ?? ''), ...seen }]
    }
    case 'Subscription': {
      const isLeft = notice.in('subscription').in('newTopicPreferences').isTrue('unsubscribeAll')
      return isLeft ? [{ kind: 'unsubscribed', ...about('subscription'), ...onlyRecipient(notice) }] : []
    }
    case 'Reject':
      return [rejected(about('reject'), notice.in('reject').text('reason'))]
    case 'Rendering Failure':
      return [rejected(about('failure'), notice.in('failure').text('errorMessage'))]
    default:
      return []
  }
}

/** Our own id when the transport sent it along, or else our Message-ID, or else Amazon's id of the mail. */
function mailOf(mail: Fields): ReportedMail | undefined {
  const [emailId] = mail.in('tags').texts(EMAIL_TAG)
  if (emailId !== undefined) return { emailId }
  const header = mail.in('headers').items?.find((field) => field.text('name')?.toLowerCase() === 'message-id')
  const messageId = header?.text('value')
  if (messageId !== undefined && OURS.test(messageId)) return { messageId }
  const providerId = mail.text('messageId')
  return providerId === undefined ? undefined : { providerId }
}

/** The form of our Message-IDs. */
const OURS = /^\s*<?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@/i

function bounced(bounce: Fields, about: About): readonly FeedbackReport[] {
  const [type, subType] = [bounce.text('bounceType'), bounce.text('bounceSubType')]
  return (bounce.in('bouncedRecipients').items ?? []).slice(0, MAX_RECIPIENTS).map((whom): FeedbackReport => {
    const to = { ...about, ...optional({ recipient: whom.text('emailAddress') }) }
    const [action, status] = [whom.text('action'), whom.text('status')]
    const words = whom.text('diagnosticCode')?.replace(/^\s*(?:x-)?smtp\s*;\s*/i, '')
    if (SUPPRESSED.has(subType)) return suppressed(to)
    if (subType === 'UnsubscribedRecipient')
      return { ...rejected(to, 'The recipient has left this contact list of Amazon SES.'), hasLeft: true }
    // automatic replies arrive as such a bounce, without a server's reply
    const isAutomatic = type === 'Transient' && subType === 'General' && !action && !status && !words
    if (isAutomatic || action === 'delayed') return { kind: 'delayed', ...to }
    const bounced = reportedBounce({ said: classOf(type, subType), status, words })
    return { kind: 'bounced', ...to, bounce: { diagnostic: `Amazon SES: ${type} bounce, ${subType}`, ...bounced } }
  })
}

/** "Bounce types": Amazon calls many bounces transient that are about the mail. */
function classOf(type: string | undefined, subType: string | undefined): RefusalClass {
  if (type === 'Permanent') return subType === 'NoEmail' ? 'unknown' : 'permanent'
  if (type !== 'Transient') return 'unknown'
  return ABOUT_THE_MAIL.has(subType) ? 'policy' : 'transient'
}

const ABOUT_THE_MAIL: ReadonlySet<string | undefined> = new Set([
  'MessageTooLarge',
  'ContentRejected',
  'AttachmentRejected',
])

/** Reports about our signatures or a virus, or that it was no spam after all, are no complaints. */
const NO_COMPLAINT: ReadonlySet<string | undefined> = new Set(['not-spam', 'auth-failure', 'virus'])

function complained(complaint: Fields, about: About): readonly FeedbackReport[] {
  if (NO_COMPLAINT.has(complaint.text('complaintFeedbackType'))) return []
  const isOld = SUPPRESSED.has(complaint.text('complaintSubType'))
  return (complaint.in('complainedRecipients').items ?? []).slice(0, MAX_RECIPIENTS).map((whom): FeedbackReport => {
    const to = { ...about, ...optional({ recipient: whom.text('emailAddress') }) }
    return isOld ? suppressed(to) : { kind: 'complained', ...to }
  })
}

function delivered(recipients: readonly string[], about: About): readonly FeedbackReport[] {
  return recipients.slice(0, MAX_RECIPIENTS).map((recipient) => ({ kind: 'delivered', ...about, recipient }))
}

/** Amazon sent nothing, and will not as long as the address is on its list. */
function suppressed(to: About): FeedbackReport {
  const diagnostic = 'Amazon SES did not send it: the address is on its suppression list.'
  return { kind: 'bounced', ...to, bounce: { class: 'permanent', diagnostic } }
}

function rejected(to: About, reason: string | undefined): FeedbackReport {
  const diagnostic = reason === undefined ? 'Amazon SES did not send it.' : `Amazon SES did not send it: ${reason}`
  return { kind: 'rejected', ...to, bounce: { class: 'policy', diagnostic } }
}

/** If a mail has several recipients, it is unknown which of them opened it. */
function onlyRecipient(notice: Fields): { readonly recipient?: string } {
  const [recipient, ...more] = notice.in('mail').texts('destination')
  return recipient === undefined || more.length > 0 ? {} : { recipient }
}

function userAgent(fields: Fields): { readonly userAgent?: string } {
  return optional({ userAgent: fields.text('userAgent') })
}
