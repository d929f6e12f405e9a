import { judge } from '../judge.ts'
import { type RecipientStatus, readDeliveryStatus } from './delivery-status.ts'
import { addressesIn, ownWords, reasonIn, reportsDelay, withoutGreeting, wordsAbout } from './failure-words.ts'
import { type HeaderFields, type MimeMessage, type MimePart, readFields, readMime } from './mime.ts'
import { headerOf, namesIn } from './names.ts'
import type { ParsedReport, ReportEnvelope, ReportedRecipient } from './parsed-report.ts'
import { isAutoReply, isBounce, subjectOf } from './recognise.ts'
import { readSnsMail } from './sns-mail.ts'

/** Of so many recipients at most the words for people are read. */
const MAX_NAMED = 20
/** How many characters of a server's reply are judged: it comes to the point at once. */
const MAX_JUDGED = 1000
/** How many characters of a server's reply are kept. */
const MAX_DIAGNOSTIC_LENGTH = 2000

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
  return statusIn(message) ?? statusIn(innerReport(message)) ?? statusInText(message) ?? inWords(message, envelope)
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

function aboutItself(fields: HeaderFields): Pick<ParsedReport, 'id' | 'date'> {
  const id = fields.get('message-id')?.trim().slice(0, 998)
  const date = new Date(fields.get('date')?.slice(0, 100) ?? '')
  return { ...(id ? { id } : {}), ...(Number.isNaN(date.getTime()) ? {} : { date }) }
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
  if (!/^(?:abuse|fraud|opt-out(?:-list)?|complaint|miscategorized|other)$/.test(type))
    return { kind: 'none', recipients: [] }
  const named = [...fields.all('original-rcpt-to'), ...fields.all('removal-recipient')].flatMap(addressesIn)
  const one = { action: 'failed', class: 'unknown' } as const
  const recipients = named.length === 0 ? [one] : [...new Set(named)].map((address) => ({ address, ...one }))
  return { kind: 'complaint', recipients }
}

/**
 * Microsoft's complaints (JMRP) in their old form: the mail itself, with the name of whoever complains in a field of its
 * own.
 */
function complaintToMicrosoft(message: MimeMessage): Pick<ParsedReport, 'kind' | 'recipients'> | undefined {
  const returned = ofType(message, /^message\/rfc822$/).map((part) => readFields(headerOf(part.text())))
  const [whom] = [message.fields, ...returned].flatMap((fields) => fields.all('x-hmxmroriginalrecipient'))
  const isOne = whom !== undefined || /^complaint about message from /i.test(subjectOf(message.fields))
  if (!isOne || returned.length === 0) return undefined
  const [address] = addressesIn(whom ?? '')
  return {
    kind: 'complaint',
    recipients: [{ ...(address === undefined ? {} : { address }), action: 'failed', class: 'unknown' }],
  }
}

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
    return { ...base, class: isLate, ...(status === undefined ? {} : { status }), ...diagnosticOf(diagnostic) }
  }
  const isOneOfMany = others.length > MAX_NAMED
  const about = isOneOfMany ? '' : wordsAbout(words, address, others)
  const reason = reasonIn(about, address)
  const stage = STAGE.exec(about.replace(/\s+/g, ' '))?.[0] ?? ''
  const said = diagnostic.slice(0, isOneOfMany ? MAX_JUDGED / 4 : MAX_JUDGED)
  // the surest first: what the server said, what stands beside its code, and the words for people
  const told = firstClear([
    () => judge({ status, words: `${said} ${stage}`.trim() }),
    () => judge({ status, words: `${said} ${comment} ${stage}` }),
    () => judge({ status, words: `${reason?.text.slice(0, MAX_JUDGED) ?? said} ${stage}` }),
    () => judge({ status, words: `${said} ${about.slice(0, 3 * MAX_JUDGED)}`, isReport: true }),
  ])
  const shown = /[a-z]{3}/i.test(diagnostic) ? diagnostic : (reason?.text ?? (diagnostic || withoutGreeting(about)))
  return {
    ...base,
    class: told.class,
    ...(told.status === undefined ? {} : { status: told.status }),
    ...diagnosticOf(shown),
  }
}

/** The first of these judgements that says anything; the first of all when none does. */
function firstClear(judgements: readonly (() => ReturnType<typeof judge>)[]): ReturnType<typeof judge> {
  let first: ReturnType<typeof judge> | undefined
  for (const next of judgements) {
    const told = next()
    if (told.class !== 'unknown') return told
    first ??= told
  }
  return first ?? { class: 'unknown' }
}

/** Only in this text does Postfix say which command a server answered. */
const STAGE = /\(in reply to (?:end of )?[A-Z]{4}[A-Z ]{0,12}/

function diagnosticOf(words: string): { readonly diagnostic?: string } {
  const text = words
    .replace(/[\s\u0000]+/g, ' ')
    .trim()
    .slice(0, MAX_DIAGNOSTIC_LENGTH)
  return text === '' ? {} : { diagnostic: text }
}

function humanText(message: MimeMessage): string {
  const texts = message.parts.filter(({ type }) => type === 'text/plain')
  const shown = texts.length > 0 ? texts : ofType(message, /^text\/html$/)
  return shown
    .slice(0, 3)
    .map((part) => part.text())
    .join('\n')
}

/** Reads a bounce written in free text; undefined when nothing shows that it is one. */
function inWords(message: MimeMessage, envelope: ReportEnvelope | undefined): readonly ReportedRecipient[] | undefined {
  const { fields } = message
  const text = humanText(message)
  if (!isBounce(fields, text, envelope)) return undefined
  const words = ownWords(text)
  const late = reportsDelay(words) && !GIVEN_UP.test(words)
  const failed = fields.all('x-failed-recipients').flatMap(addressesIn)
  const mine = new Set(
    ['to', 'from', 'delivered-to', 'x-original-to', 'return-path'].flatMap((name) =>
      fields.all(name).flatMap(addressesIn),
    ),
  )
  const named =
    failed.length > 0
      ? [...new Set(failed)]
      : addressesIn(words).filter((address) => !mine.has(address) && !isPostmaster(address))
  // several addresses in a text are seldom several recipients
  const recipients = failed.length > 0 ? named : named.slice(0, severalFail(words, named) ? 10 : 1)
  const whom: readonly (string | undefined)[] = recipients.length === 0 ? [undefined] : recipients
  return whom.map((address) => {
    const about = wordsAbout(words, address, recipients)
    const reason = reasonIn(about, address)
    const stage = /\bafter (?:RCPT|MAIL|end of data)\b/i.exec(about)?.[0] ?? ''
    const judged = firstClear([
      () => judge({ words: `${reason?.isReply ? reason.text : ''} ${stage}` }),
      () => judge({ words: reason?.text ?? '', isReport: true }),
      () => judge({ words: about, isReport: true }),
      () => judge({ words: ownSubject(message), isReport: true }),
    ])
    return {
      ...(address === undefined ? {} : { address }),
      action: late ? 'delayed' : 'failed',
      class: late ? 'transient' : judged.class,
      ...(judged.status === undefined ? {} : { status: judged.status }),
      ...diagnosticOf(reason?.text ?? withoutGreeting(about)),
    }
  })
}

/** The subject as far as the mail system made it: many quote the subject of the mail behind a colon. */
function ownSubject(message: MimeMessage): string {
  return subjectOf(message.fields).split(/:/, 1)[0] ?? ''
}

/** Each address has its own line, or begins one. */
function severalFail(words: string, named: readonly string[]): boolean {
  const heads =
    words.match(/^[ \t]{0,20}<?[^\s<>@]{1,64}@[^\s<>@:]{1,255}>?(?::[ \t].{3,}|:?[ \t\r]{0,20})$/gm)?.length ?? 0
  return heads > 1 && heads >= named.length
}

const GIVEN_UP = /\b(?:permanent|given up|giving up|could not be delivered|failed permanently|final)\b/i

function isPostmaster(address: string): boolean {
  return /^(?:mailer-daemon|postmaster|abuse)@/.test(address)
}
