import { isClear, judge } from '../judge.ts'
import { type RecipientStatus, readDeliveryStatus } from './delivery-status.ts'
import { fromReason, ownWords, reasonIn, repliesIn, withoutGreeting } from './failure-words.ts'
import { firstClear, inWords, type Judged, judgeText, shortened } from './in-words.ts'
import { type HeaderFields, type MimeMessage, type MimePart, readFields, readMime } from './mime.ts'
import { addressesIn, wordsAbout } from './named-recipients.ts'
import { headerOf, namesIn } from './names.ts'
import type { ParsedReport, ReportEnvelope, ReportedRecipient } from './parsed-report.ts'
import { authorOf, isAutoReply, isPassedOn, isPerson, subjectOf } from './recognise.ts'
import { readSnsMail } from './sns-mail.ts'

/** Of so many recipients at most the words for people are read. */
const MAX_NAMED = 20
/** How many characters of a server's reply are judged: it comes to the point at once. */
const MAX_JUDGED = 1000

/**
 * Classifies a message that came back: a bounce (RFC 3464, or free text), a complaint (RFC 5965), an automatic reply
 * (RFC 3834), or none of these. Any input takes bounded time.
 */
export function parseReport(raw: Uint8Array, envelope?: ReportEnvelope): ParsedReport {
  const message = readMime(raw)
  const own = aboutItself(message.fields)
  const names = namesIn(message, humanText(message))
  const complaint = complaintIn(message)
  if (complaint !== undefined) return { ...complaint, ...names, ...own }
  const notice = readSnsMail(humanText(message))
  if (notice !== undefined)
    return { ...own, ...notice, ...names, messageIds: [...notice.messageIds, ...names.messageIds] }
  const reported = isOtherReport(message) ? undefined : reportedBy(message, envelope)
  if (reported !== undefined) return { kind: 'bounce', recipients: reported, ...names, ...own }
  return { kind: isAutoReply(message.fields) ? 'auto-reply' : 'none', recipients: [], ...names, ...own }
}

function reportedBy(
  message: MimeMessage,
  envelope: ReportEnvelope | undefined,
): readonly ReportedRecipient[] | undefined {
  return (
    statusIn(message) ??
    // a gateway wraps a report in a mail of its own; a person asks about one
    (isPassedOn(message.fields, envelope) ? undefined : statusIn(innerReport(message))) ??
    statusInText(message) ??
    inWords(message, humanText(message), envelope)
  )
}

/**
 * Reports about something other than delivery: read receipts (RFC 8098), TLS (RFC 8460) and DMARC (RFC 7489) figures,
 * and whatever else `multipart/report` may carry (RFC 6522).
 */
function isOtherReport(message: MimeMessage): boolean {
  const { fields, type } = message
  const [, kind] = /;\s*report-type\s*=\s*"?([\w-]+)/i.exec(fields.get('content-type')?.slice(0, 2000) ?? '') ?? []
  if (type === 'multipart/report' && kind !== undefined && kind.toLowerCase() !== 'delivery-status') return true
  if (/^report domain:/i.test(subjectOf(fields).trim()) || fields.get('tls-report-domain') !== undefined) return true
  return (
    ofType(message, /^(?:message\/disposition-notification|application\/tlsrpt\b)/).length > 0 &&
    ofType(message, DELIVERY_STATUS).length === 0
  )
}

const DELIVERY_STATUS = /^message\/(?:global-)?delivery-status$/

function aboutItself(fields: HeaderFields): Pick<ParsedReport, 'id' | 'date' | 'author'> {
  const author = isPerson(fields) ? authorOf(fields) : undefined
  const id = fields.get('message-id')?.trim().slice(0, 998)
  const date = new Date(fields.get('date')?.slice(0, 100) ?? '')
  return {
    ...(id ? { id } : {}),
    ...(Number.isNaN(date.getTime()) ? {} : { date }),
    ...(author === undefined ? {} : { author }),
  }
}

function ofType(message: MimeMessage, pattern: RegExp): readonly MimePart[] {
  return message.parts.filter(({ type }) => pattern.test(type))
}

/** Unwraps a report that a gateway has put into another message. */
function innerReport(message: MimeMessage): MimeMessage | undefined {
  const [inner] = ofType(message, /^message\/(?:rfc822|global)$/)
  if (inner === undefined) return undefined
  const read = readMime(Buffer.from(inner.text(), 'utf8'))
  return read.type === 'multipart/report' ? read : undefined
}

/** The recipients of an abuse report; undefined when it is none. */
function complaintIn(message: MimeMessage): Pick<ParsedReport, 'kind' | 'recipients'> | undefined {
  const [part] = ofType(message, /^message\/feedback-report$/)
  if (part === undefined) return complaintToMicrosoft(message)
  const fields = readFields(part.text())
  const type = fields.get('feedback-type')?.trim().toLowerCase() ?? 'abuse'
  // reports about our signatures (auth-failure) or that it was no spam after all (not-spam) are no complaints
  const isOfSignatures = fields.get('auth-failure') !== undefined
  if (isOfSignatures || !/^(?:abuse|fraud|opt-out(?:-list)?|complaint|miscategorized|other)$/.test(type))
    return { kind: 'none', recipients: [] }
  const standard = [...fields.all('original-rcpt-to'), ...fields.all('removal-recipient')].flatMap(addressesIn)
  // Microsoft's reports have the recipient only in the mail that they bring back
  const named = standard.length > 0 ? standard : addressesIn(recipientToMicrosoft(message) ?? '')
  const one = { action: 'failed', class: 'unknown' } as const
  const recipients = named.length === 0 ? [one] : [...new Set(named)].map((address) => ({ address, ...one }))
  return { kind: 'complaint', recipients }
}

/**
 * Microsoft's complaints (JMRP) in their old form: the mail itself, with the complaining recipient in a field of its
 * own.
 */
function complaintToMicrosoft(message: MimeMessage): Pick<ParsedReport, 'kind' | 'recipients'> | undefined {
  const whom = recipientToMicrosoft(message)
  const isOne = whom !== undefined || /^complaint about message from /i.test(subjectOf(message.fields))
  if (!isOne || ofType(message, RETURNED).length === 0) return undefined
  const [address] = addressesIn(whom ?? '')
  return {
    kind: 'complaint',
    recipients: [{ ...(address === undefined ? {} : { address }), action: 'failed', class: 'unknown' }],
  }
}

/** The recipient who complained, in the field that Microsoft adds to the mail that it brings back. */
function recipientToMicrosoft(message: MimeMessage): string | undefined {
  const returned = ofType(message, RETURNED).map((part) => readFields(headerOf(part.text())))
  return [message.fields, ...returned].flatMap((fields) => fields.all('x-hmxmroriginalrecipient'))[0]
}

const RETURNED = /^message\/rfc822$/

/** A report inside a report as plain text: a gateway or a list has taken the parts apart. */
function statusInText(message: MimeMessage): readonly ReportedRecipient[] | undefined {
  const text = ownWords(humanText(message))
  if (!/^[ \t>]*Final-Recipient:/im.test(text) || !/^[ \t>]*(?:Action|Status):/im.test(text)) return undefined
  const plain = text.replace(/^[ \t>]{1,20}(?=[A-Z][\w-]{1,40}:)/gm, '')
  const from = plain.search(/^(?:Reporting-MTA|Final-Recipient|Original-Recipient|Action|Status|Diagnostic-Code):/im)
  return recipientsIn(plain.slice(Math.max(0, from)), plain)
}

function statusIn(message: MimeMessage | undefined): readonly ReportedRecipient[] | undefined {
  const parts = message === undefined ? [] : ofType(message, DELIVERY_STATUS)
  if (message === undefined || parts.length === 0) return undefined
  return recipientsIn(parts.map((part) => part.text()).join('\n\n'), ownWords(humanText(message)))
}

function recipientsIn(status: string, words: string): readonly ReportedRecipient[] | undefined {
  const found = readDeliveryStatus(status)
  if (found.length === 0) return undefined
  const others = found.length < 2 ? [] : found.flatMap(({ address }) => address ?? [])
  return found.map((each) => recipientOf(each, words, others))
}

function recipientOf(reported: RecipientStatus, words: string, others: readonly string[]): ReportedRecipient {
  const { address, original, status, diagnostic, comment } = reported
  const action = reported.action ?? (status?.startsWith('2') ? 'delivered' : 'failed')
  const whom = original ?? address
  const base = { ...(whom === undefined ? {} : { address: whom }), action }
  if (action !== 'failed') {
    const isLate = action === 'delayed' ? ('transient' as const) : ('unknown' as const)
    return { ...base, class: isLate, ...(status === undefined ? {} : { status }), ...shortened(diagnostic) }
  }
  const isOneOfMany = others.length > MAX_NAMED
  const about = isOneOfMany ? '' : wordsAbout(words, address, others)
  const [quoted] = repliesIn(about)
  const reason = quoted ?? reasonIn(about, address)
  const stage = STAGE.exec(about.replace(/\s+/g, ' '))?.[0] ?? ''
  const isTelling = TELLING.test(diagnostic)
  // words beside the code, or of a reply in the text, come before the code alone
  const reply = isTelling ? diagnostic : comment || quoted || diagnostic
  const said = reply.slice(0, isOneOfMany ? MAX_JUDGED / 4 : MAX_JUDGED)
  // the surest first: what the server said, what stands beside its code, the reply that the words for people quote
  const told = firstClear([
    () => judge({ status, words: `${said} ${stage}`.trim() }),
    () => judge({ status, words: `${said} ${comment} ${stage}` }),
    () => judge({ status, words: `${quoted?.slice(0, MAX_JUDGED) ?? said} ${stage}` }),
  ])
  const judged = isClear(told)
    ? told
    : explained(told, [reason ?? '', about], hasReply(said) || quoted !== undefined, status)
  const shown = isTelling
    ? diagnostic
    : (reason ?? fromReason(about, judged.why.words) ?? (diagnostic || withoutGreeting(about)))
  return {
    ...base,
    class: judged.class,
    ...(judged.status === undefined ? {} : { status: judged.status }),
    ...shortened(shown),
    why: judged.why,
  }
}

const TELLING = /[a-z\u00c0-\uffff]{3}/i

/** Only in this text does Postfix say which command a server answered. */
const STAGE = /\(in reply to (?:end of )?[A-Z]{4}[A-Z ]{0,12}/

/**
 * The judgement, changed by the words for people where the server's reply is unclear. Beside a reply they may explain
 * it, and never make it a lost address.
 */
function explained(told: Judged, texts: readonly string[], isReplied: boolean, status: string | undefined): Judged {
  for (const text of texts) {
    const judged = judgeText(text.slice(0, 3 * MAX_JUDGED), status)
    if (!isClear(judged)) continue
    return isReplied && judged.class === 'permanent' ? told : judged
  }
  return told
}

/** Whether a diagnostic has a reply's own words. */
function hasReply(said: string): boolean {
  return /^\D{0,40}[245]\d\d\b/.test(said) && /[a-z\u00c0-\uffff]{3}/i.test(said.replace(/^\D{0,40}[245]\d\d/, ''))
}

function humanText(message: MimeMessage): string {
  const texts = message.parts.filter(({ type }) => type === 'text/plain')
  const shown = texts.length > 0 ? texts : ofType(message, /^text\/html$/)
  return shown
    .slice(0, 3)
    .map((part) => part.text())
    .join('\n')
}
