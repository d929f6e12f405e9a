import { judge } from '../judge.ts'
import { type RecipientStatus, readDeliveryStatus } from './delivery-status.ts'
import { addressesIn, ownWords, reportsDelay, wordsAbout } from './failure-words.ts'
import { type HeaderFields, type MimeMessage, type MimePart, readFields, readMime } from './mime.ts'
import type { ParsedReport, ReportedRecipient } from './parsed-report.ts'

/** How many Message-IDs and return paths are looked at. */
const MAX_NAMES = 20
/** How many characters of a server's reply are kept. */
const MAX_DIAGNOSTIC_LENGTH = 2000

/** The envelope of a received message. */
export interface ReportEnvelope {
  /** The null sender is the empty string. */
  readonly from: string
}

/**
 * Classifies a message that came back: a bounce (RFC 3464, or free text), a complaint (RFC 5965), an automatic reply
 * (RFC 3834), or none of these. Any input takes bounded time.
 */
export function parseReport(raw: Uint8Array, envelope?: ReportEnvelope): ParsedReport {
  const message = readMime(raw)
  const own = aboutItself(message.fields)
  const names = namesIn(message)
  const complaint = complaintIn(message)
  if (complaint !== undefined) return { ...complaint, ...names, ...own }
  const reported = statusIn(message) ?? statusIn(innerReport(message))
  if (reported !== undefined) return { kind: 'bounce', recipients: reported, ...names, ...own }
  const words = inWords(message, envelope)
  if (words !== undefined) return { kind: 'bounce', recipients: words, ...names, ...own }
  return { kind: isAutoReply(message.fields) ? 'auto-reply' : 'none', recipients: [], ...names, ...own }
}

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
  if (part === undefined) return undefined
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

function statusIn(message: MimeMessage | undefined): readonly ReportedRecipient[] | undefined {
  const parts = message === undefined ? [] : ofType(message, /^message\/(?:global-)?delivery-status$/)
  if (message === undefined || parts.length === 0) return undefined
  const found = parts.flatMap((part) => readDeliveryStatus(part.text()))
  if (found.length === 0) return undefined
  const words = ownWords(humanText(message))
  const others = found.length < 2 ? [] : found.flatMap(({ address }) => address ?? [])
  return found.map((each) => recipientOf(each, words, others))
}

function recipientOf(reported: RecipientStatus, words: string, others: readonly string[]): ReportedRecipient {
  const { address, original, status } = reported
  const action = reported.action ?? (status?.startsWith('2') ? 'delivered' : 'failed')
  const whom = original ?? address
  const base = { ...(whom === undefined ? {} : { address: whom }), action }
  if (action !== 'failed') {
    const isLate = action === 'delayed' ? ('transient' as const) : ('unknown' as const)
    return { ...base, class: isLate, ...(status === undefined ? {} : { status }), ...diagnosticOf(reported.diagnostic) }
  }
  const about = others.length > 20 ? '' : wordsAbout(words, address, others)
  const stage = STAGE.exec(about.replace(/\s+/g, ' '))?.[0] ?? ''
  const judged = judge({ status, words: `${reported.diagnostic} ${stage}`.trim() })
  const isPlain = judged.class !== 'unknown' || about.trim() === ''
  const better = isPlain
    ? judged
    : judge({ status: judged.status, words: `${reported.diagnostic} ${about}`, isReport: true })
  return {
    ...base,
    class: better.class,
    ...(better.status === undefined ? {} : { status: better.status }),
    ...diagnosticOf(reported.diagnostic || about),
  }
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
    const judged = judge({ words: `${subjectOf(fields)} ${about}`, isReport: true })
    return {
      ...(address === undefined ? {} : { address }),
      action: late ? 'delayed' : 'failed',
      class: late ? 'transient' : judged.class,
      ...(judged.status === undefined ? {} : { status: judged.status }),
      ...diagnosticOf(about),
    }
  })
}

/** Each address has a line of its own, followed by something. */
function severalFail(words: string, named: readonly string[]): boolean {
  const heads = words.match(/^[ \t]{0,20}<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?[ \t\r]{0,20}$/gm)?.length ?? 0
  return heads > 1 && heads >= named.length
}

const GIVEN_UP = /\b(?:permanent|given up|giving up|could not be delivered|failed permanently|final)\b/i

function subjectOf(fields: HeaderFields): string {
  return fields.get('subject')?.slice(0, 500) ?? ''
}

function isPostmaster(address: string): boolean {
  return /^(?:mailer-daemon|postmaster|abuse)@/.test(address)
}

const DAEMON =
  /mailer[-_]?daemon|post[-_]?master|mail ?delivery|mail ?administrator|system ?administrator|mail ?system|\bbounce|mailmaster|<>/i
const SUBJECT =
  /undeliver|returned (?:mail|to sender)|delivery (?:status|failure|failed|error|has failed|problem|unsuccessful|to the following|incomplete)|mail (?:delivery|failure|error|system error)|failure notice|failed (?:mail|delivery)|could not (?:be delivered|send)|non.?deliver|not delivered|message (?:delivery|undeliverable|rejected|refused)|rejected mail|user unknown|unbekannt|unzustellbar|nicht zugestellt|non remis|échec|no entregad|delivery notification/i
const BODY =
  /(?:could|can|was|were|did|has|have) ?(?:not|n.t) (?:be |been |reach |able to )?(?:be )?(?:deliver|reach|send|sent)|undeliverable|delivery (?:to the following|has failed|failed|error)|permanent (?:fatal )?error|unable to deliver|failed to deliver|was rejected|returned to sender|\b5\d\d\b.{0,80}\b(?:no such user|user unknown|unknown user)/i

/**
 * A message is a bounce when it has at least two of its marks: no sender, a mail system as author, a subject or a text
 * that says so.
 */
function isBounce(fields: HeaderFields, text: string, envelope: ReportEnvelope | undefined): boolean {
  if (fields.get('x-failed-recipients') !== undefined) return true
  const from = fields.get('from')?.slice(0, 500) ?? ''
  const path = fields.get('return-path')?.slice(0, 500)
  const hasNoSender = envelope?.from === '' || (path !== undefined && (/<\s*>/.test(path) || DAEMON.test(path)))
  const isDaemon = DAEMON.test(from)
  const says = SUBJECT.test(subjectOf(fields)) || fields.get('content-type')?.includes('multipart/report') === true
  const body = BODY.test(text.slice(0, 4000))
  // automatic replies of people come without a sender, too
  if (!isDaemon && !says && isAutoReply(fields)) return false
  return [hasNoSender, isDaemon, says, body].filter(Boolean).length >= 2
}

/** Whether a machine answers for a person (RFC 3834, and the older headers for it). */
function isAutoReply(fields: HeaderFields): boolean {
  const submitted = fields.get('auto-submitted')?.trim().toLowerCase()
  if (submitted !== undefined && submitted !== '' && !submitted.startsWith('no')) return true
  if (AUTO_FIELDS.some((name) => fields.get(name) !== undefined)) return true
  if (/auto.?reply/i.test(fields.get('precedence') ?? '')) return true
  return AUTO_SUBJECT.test(subjectOf(fields))
}

const AUTO_FIELDS = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-auto-reply'] as const
const AUTO_SUBJECT =
  /^\s*(?:(?:auto|automatic|automated)[ :-]{0,2}(?:reply|response|antwort)|out of (?:the )?office|abwesen|réponse automatique|respuesta automática|risposta automatica|automatische antwort|autoreply|vacation)/i

/** Finds what may identify our mail: in the header of the returned mail, and wherever the text quotes it. */
function namesIn(message: MimeMessage): Pick<ParsedReport, 'messageIds' | 'returnPaths'> {
  const ids = new Set<string>()
  const paths = new Set<string>()
  const look = (fields: HeaderFields) => {
    for (const name of ['message-id', 'x-original-message-id', 'original-message-id']) {
      for (const value of fields.all(name)) add(ids, /<[^<>\s]{3,250}>/.exec(value.slice(0, 1000))?.[0])
    }
    const named = [
      'return-path',
      'x-return-path',
      'original-mail-from',
      'x-envelope-from',
      'x-postfix-sender',
      'x-original-mail-from',
    ]
    for (const value of named.flatMap((name) => fields.all(name))) for (const path of pathsIn(value)) add(paths, path)
  }
  for (const part of message.parts) {
    if (
      /^(?:message|text)\/(?:rfc822|rfc822-headers|global|global-headers|feedback-report|delivery-status)/.test(
        part.type,
      )
    ) {
      look(readFields(/status|report/.test(part.type) ? part.text() : headerOf(part.text())))
    }
  }
  for (const name of ['in-reply-to', 'references']) {
    for (const value of message.fields.all(name))
      for (const [id] of value.slice(0, 4000).matchAll(/<[^<>\s]{3,250}>/g)) add(ids, id)
  }
  for (const name of ['to', 'delivered-to', 'x-original-to', 'envelope-to']) {
    for (const value of message.fields.all(name)) for (const path of pathsIn(value)) add(paths, path)
  }
  const text = humanText(message)
  for (const [, id] of text.matchAll(/^[> \t]{0,20}(?:X-)?(?:Original-)?Message-ID:\s{0,3}(<[^<>\s]{3,250}>)/gim))
    add(ids, id)
  for (const path of pathsIn(text)) add(paths, path)
  return { messageIds: [...ids], returnPaths: [...paths] }
}

/** The header of a mail inside another; some servers put an empty line before it. */
function headerOf(text: string): string {
  return text.trimStart().split(/\r?\n\r?\n/, 1)[0] ?? ''
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && names.size < MAX_NAMES) names.add(name)
}

/** Addresses that look like our return paths; the signature is checked elsewhere. */
function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bb\+[0-9a-f]{52}@[\w.-]{1,253}/gi)].slice(0, MAX_NAMES).map(([path]) => path)
}
