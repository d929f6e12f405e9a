import { judge } from '../judge.ts'
import type { ParsedReport, ReportedRecipient } from './parsed-report.ts'

/** How much of a text is read as JSON. */
const MAX_LENGTH = 128 * 1024
/** Amazon allows 50 recipients per mail. */
const MAX_RECIPIENTS = 100
/** Feedback that is no complaint: reports about signatures or viruses, or that it was no spam after all. */
const NO_COMPLAINT: ReadonlySet<unknown> = new Set(['not-spam', 'auth-failure', 'virus'])

type Json = Readonly<Record<string, unknown>>

/** A notice of Amazon SES, as far as it is about mail that came back. */
type Notice = Pick<ParsedReport, 'kind' | 'recipients' | 'messageIds'>

/**
 * Reads a notice of Amazon SES that its notification service (SNS) has sent by mail: the JSON stands in the text.
 * Undefined when it is none.
 */
export function readSnsMail(text: string): Notice | undefined {
  const notice = noticeIn(text)
  if (notice === undefined) return undefined
  const kind = field(notice, 'notificationType') ?? field(notice, 'eventType')
  const messageIds = messageIdsOf(object(field(notice, 'mail')))
  if (kind === 'Complaint') {
    const complaint = object(field(notice, 'complaint'))
    if (NO_COMPLAINT.has(field(complaint, 'complaintFeedbackType'))) return { kind: 'none', recipients: [], messageIds }
    const one = { action: 'failed', class: 'unknown' } as const
    return { kind: 'complaint', messageIds, recipients: people(field(complaint, 'complainedRecipients'), () => one) }
  }
  if (kind === 'Bounce') {
    const bounce = object(field(notice, 'bounce'))
    return {
      kind: 'bounce',
      messageIds,
      recipients: people(field(bounce, 'bouncedRecipients'), (whom) => failure(bounce, whom)),
    }
  }
  if (kind === 'Delivery' || kind === 'DeliveryDelay') return { kind: 'none', recipients: [], messageIds }
  return undefined
}

/** Our rule for the server's reply; without one, Amazon's own class. */
function failure(bounce: Json, whom: Json): Omit<ReportedRecipient, 'address'> {
  const words = textOf(field(whom, 'diagnosticCode')).replace(/^\s*(?:x-)?smtp\s*;\s*/i, '')
  const status = textOf(field(whom, 'status')) || undefined
  const judged = judge({ status, words })
  const said = field(bounce, 'bounceType') === 'Permanent' ? 'permanent' : 'transient'
  return {
    action: field(whom, 'action') === 'delayed' ? 'delayed' : 'failed',
    class: words === '' && status === undefined ? said : judged.class,
    ...(judged.status === undefined ? {} : { status: judged.status }),
    ...(words === '' ? {} : { diagnostic: words.slice(0, 2000) }),
    ...(words === '' && status === undefined ? {} : { why: judged.why }),
  }
}

function people(
  given: unknown,
  about: (whom: Json) => Omit<ReportedRecipient, 'address'>,
): readonly ReportedRecipient[] {
  return (Array.isArray(given) ? given : []).slice(0, MAX_RECIPIENTS).map((each: unknown) => {
    const address = /[^\s<>]{1,64}@[^\s<>]{1,255}/.exec(textOf(field(object(each), 'emailAddress')))?.[0]?.toLowerCase()
    return { ...(address === undefined ? {} : { address }), ...about(object(each)) }
  })
}

/** Ours stands in the header, when Amazon was asked to send it along. */
function messageIdsOf(mail: Json): readonly string[] {
  const given = field(mail, 'headers')
  const headers = (Array.isArray(given) ? given : []).slice(0, 200).map((each: unknown) => object(each))
  const found = headers.filter((header) => textOf(field(header, 'name')).toLowerCase() === 'message-id')
  const common = field(object(field(mail, 'commonHeaders')), 'messageId')
  const ids = [...found.map((header) => field(header, 'value')), common].map(textOf)
  return ids.filter((id) => /^<[^<>\s]{3,250}>$/.test(id))
}

function noticeIn(text: string): Json | undefined {
  const from = text.indexOf('{')
  if (from < 0 || !/"(?:notificationType|eventType|Type)"/.test(text.slice(from, from + 4000))) return undefined
  // the text after it says how to unsubscribe; long lines may have been broken
  const json = text.slice(from, from + MAX_LENGTH).replace(/\r?\n/g, '')
  const outer = parsed(json.slice(0, endOf(json)))
  const inner = field(outer, 'Type') === 'Notification' ? parsed(textOf(field(outer, 'Message'))) : outer
  return inner !== undefined && ('notificationType' in inner || 'eventType' in inner) ? inner : undefined
}

/** Where the object ends that the text begins with. */
function endOf(json: string): number {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]
    if (sign === '\\') at++
    else if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && sign === '{') depth++
    else if (!isQuoted && sign === '}' && --depth === 0) return at + 1
  }
  return json.length
}

function parsed(json: string): Json | undefined {
  try {
    return object(JSON.parse(json))
  } catch {
    return undefined
  }
}

function field(from: Json | undefined, name: string): unknown {
  return from?.[name]
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
