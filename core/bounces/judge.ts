import type { RefusalClass, RefusalKind, RefusalSource, RefusalWhy } from '../ports/feedback-report.ts'
import type { Refusal } from '../ports/mail-transport.ts'
import { BY_CODE, BY_WORDS, type Kind, VAGUE } from './kinds.ts'
import { FULL_ALONE, OR } from './languages.ts'

/** How many characters of a text are judged: the reason stands at the beginning. */
const MAX_LENGTH = 4000

/** A failure, in whatever form it was reported. */
export interface ReportedFailure {
  readonly status?: string | undefined
  /** The refusing server's reply, or the text of the report. */
  readonly words: string
  /** True when `words` is the text of a whole report and not one server's reply. */
  readonly isReport?: boolean
}

/** The meaning of a refusal for its address, and why. */
export interface Judgement {
  readonly class: RefusalClass
  readonly why: RefusalWhy
}

/** An SMTP reply anywhere in a text: its code and, if it has one, its enhanced code. */
const REPLY = /(?:^|[\s:;<("'-])([45]\d\d)(?:[ -]+#?\(?([45]\.\d{1,3}\.\d{1,3})\)?)?(?=[\s:;,.)-]|$)/
const ENHANCED = /(?:^|[\s(#:;[-])([45]\.\d{1,3}\.\d{1,3})(?=[\s):;,\]-]|\.?$)/m

/**
 * Judges a failure that was reported: a bounce message, a provider's notice. The rule is the one for live replies, so
 * the same words mean the same wherever they come from.
 */
export function judge({ status, words, isReport = false }: ReportedFailure): Judgement & { readonly status?: string } {
  const text = words.slice(0, MAX_LENGTH).replace(/\s+/g, ' ')
  const { code, enhancedCode: said } = codesIn(text)
  // the server's own words are closer to the cause than what its client made of them, unless they are vaguer
  const enhancedCode = isVague(said) ? (isVague(status) ? (said ?? status) : status) : said
  // Gmail calls a domain that does not exist 4.0.0, when it has given up
  const isNamed = code === undefined && isVague(enhancedCode) && /\bNXDOMAIN\b/.test(text)
  const isPermanent = isNamed || ((enhancedCode ?? code?.toString() ?? '5').startsWith('5') && (code ?? 500) >= 500)
  const refusal: Refusal = {
    permanent: isPermanent,
    stage: stageIn(text),
    ...(code === undefined ? {} : { code }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    reason: text,
  }
  const shown = enhancedCode ?? status
  const judged = judgeRefusal(refusal, isReport ? 'text' : 'reply')
  return { ...judged, ...(shown === undefined ? {} : { status: shown }) }
}

/** Whether a judgement says anything: that it is one thing or another does. */
export function isClear({ class: judged, why }: Judgement): boolean {
  return judged !== 'unknown' || why.kind === 'either'
}

/** The class of a refusal: see `judgeRefusal`. */
export function classOf(refusal: Refusal): RefusalClass {
  return judgeRefusal(refusal).class
}

/**
 * Judges a refusal by its stage, its codes (RFC 5321, RFC 3463) and its text. `permanent` is only what says that this
 * address or its domain does not exist or will never take mail; what is unclear is `unknown`. Where one reply quotes
 * another, the inner one decides. Only `permanent` suppresses at once: `core/delivery/outcome.ts` does it for live
 * replies, `core/feedback/consequence.ts` for reports. Several soft bounces in a row suppress too (`soft-bounces.ts`).
 */
export function judgeRefusal(refusal: Refusal, by: 'reply' | 'text' = 'reply'): Judgement {
  const text = withoutNames(refusal.reason.slice(0, MAX_LENGTH).replace(/\s+/g, ' '))
  const quoted = quotedReply(text)
  if (quoted !== undefined) {
    const inner = judgeAlone(withReply(refusal, quoted), quoted, 'quoted reply')
    if (isClear(inner)) return inner
  }
  return judgeAlone(refusal, text, by)
}

function judgeAlone(refusal: Refusal, text: string, by: RefusalSource): Judgement {
  const { permanent, stage, code = 0, enhancedCode = '' } = refusal
  // the code is a part of what was said, also where the transport has cut it off
  const words = text.includes(enhancedCode) ? text : `${enhancedCode} ${text}`
  const told = firstTold(BY_WORDS, words, refusal)
  const said = (judged: RefusalClass, kind: RefusalKind): Judgement => {
    const quote = told?.words?.trim().slice(0, MAX_QUOTE)
    return { class: judged, why: { by, kind, ...(quote ? { words: quote } : {}) } }
  }
  // whatever it says, it may pass; but a block is a block
  if (!permanent) {
    return told?.kind.class === 'policy'
      ? said('policy', told.kind.name)
      : said('transient', told?.kind.name ?? 'temporary')
  }
  // refused before the recipient was named
  if (stage === 'connect' || stage === 'mail') {
    return told?.kind.class === 'transient' ? said('transient', told.kind.name) : said('policy', 'before_recipient')
  }
  if (told !== undefined) {
    return isEither(told, words) ? said('unknown', 'either') : said(told.kind.class, told.kind.name)
  }
  const byCode = BY_CODE.find(({ codes }) => codes?.test(enhancedCode))
  if (byCode !== undefined) {
    return { class: byCode.class, why: { by: 'code', kind: byCode.name, words: enhancedCode } }
  }
  const vague = VAGUE.find((kind) => isTime(kind, stage) && isVaguely(kind, words, enhancedCode, by))
  if (vague !== undefined) return said(vague.class, vague.name)
  return isProtocolError(code) ? said('policy', 'protocol') : said('unknown', 'unclear')
}

/** How many characters of the deciding words are kept. */
const MAX_QUOTE = 120

/** A kind that a text tells, and the words that do; none when its code does. */
interface Told {
  readonly kind: Kind
  readonly words?: string
  readonly at: number
}

function firstTold(
  kinds: readonly Kind[],
  text: string,
  { code, enhancedCode = '', stage }: Pick<Refusal, 'code' | 'enhancedCode' | 'stage'>,
): Told | undefined {
  for (const kind of kinds) {
    if (!isTime(kind, stage) || (kind.beside && !kind.beside.test(enhancedCode))) continue
    const found = wordsOf(kind, text)
    if (found) return { kind, words: found[0], at: found.index }
    if (kind.codes?.test(enhancedCode)) return { kind, words: enhancedCode, at: 0 }
    if (kind.replies?.has(code)) return { kind, words: `${code}`, at: 0 }
  }
  return undefined
}

function wordsOf({ words = [], unless }: Kind, text: string): RegExpExecArray | undefined {
  if (unless?.test(text)) return undefined
  for (const pattern of words) {
    const found = pattern.exec(text)
    if (found) return found
  }
  return undefined
}

/** Kinds that speak of the recipient: between two of them there may stand an "or". */
const OF_RECIPIENT = BY_WORDS.filter(({ class: judged, name }) => judged === 'permanent' || name === 'full')

/**
 * Whether the deciding sentence names two reasons of which one is no lost address: "user unknown or mailbox full". Both
 * sides are looked at alone.
 */
function isEither({ at }: Told, text: string): boolean {
  const sentence = sentenceAt(text, at)
  if (!OR.test(sentence)) return false
  const sides = sentence.split(OR).slice(0, MAX_SIDES)
  const classes = new Set(sides.flatMap((side) => sideOf(side) ?? []))
  return classes.has('permanent') && classes.size > 1
}

const MAX_SIDES = 6

function sideOf(side: string): RefusalClass | undefined {
  const told = firstTold(OF_RECIPIENT, side, { stage: 'rcpt' })
  if (told !== undefined) return told.kind.class
  return FULL_ALONE.some((pattern) => pattern.test(side)) ? 'transient' : undefined
}

/** The sentence around this place. */
function sentenceAt(text: string, at: number): string {
  const ends = [...text.matchAll(/[.!?;](?=\s)|[。！？]/g)].map(({ index }) => index + 1)
  const from = ends.findLast((end) => end <= at) ?? 0
  return text.slice(from, ends.find((end) => end > at) ?? text.length)
}

function isTime({ when }: Kind, stage: Refusal['stage']): boolean {
  return when === undefined || (when === 'after the content') === (stage === 'data')
}

/** A vague kind needs its code and its words, if it has both. */
function isVaguely(kind: Kind, text: string, enhancedCode: string, by: RefusalSource): boolean {
  if (kind.isForReplies && by === 'text') return false
  if (kind.codes && !kind.codes.test(enhancedCode)) return false
  return kind.words === undefined || wordsOf(kind, text) !== undefined
}

/** 500 to 504 say that the command was wrong, not the address (RFC 5321, section 4.2.2). */
function isProtocolError(code: number): boolean {
  return code >= 500 && code <= 504
}

/** Names of people, hosts and products may look like words about them; keywords are words. */
function withoutNames(text: string): string {
  return text
    .replace(/<?[^\s<>"'():;,[\]\u2e80-\uffef]{1,64}@[^\s<>"'():;,[\]\u2e80-\uffef]{1,255}>?/g, '<…>')
    .replace(/\b(host|server|mta|talking to|connect(?:ed|ing)? to) (?:[\w-]{1,63}\.){1,8}[a-z]{2,20}\b/gi, '$1 …')
    .replace(/\(in reply to [A-Z a-z]{1,40}\)/g, '')
    .replace(PRODUCT, '…')
    .replace(/(?<=[a-z])_(?=[a-z])/gi, ' ')
}

/** Names of mail gateways: that mail is filtered there says nothing about why this one was not delivered. */
const PRODUCT =
  /\b(?:(?:InterScan|ScanMail|Trend Micro|Symantec|Norton|McAfee|Sophos|Kaspersky|F-Secure|ESET|GFI|MailMarshal|MailScanner|eSafe|Barracuda|IronPort|FortiMail|SonicWALL|WatchGuard) ?)?(?:[A-Z][\w-]{1,20} ){0,2}(?:E-?[Mm]ail |Mail |Anti-?)?(?:Virus|Spam|Security|Content|Policy)[ -]?(?:(?:and|&) (?:Virus|Spam) )?(?:[Ww]all|Fire[Ww]all|Gateway|Appliance|Scanner|Server|Shield|Guard|Agent|Manager|Suite|Service|Engine)s?\b/g

/** How a reply quotes another: `host mx said: 550 …`, `Response: 550 …`, `returned '550 …`, `550-'5.2.2 …`. */
const QUOTES: readonly RegExp[] = [
  /\b(?:said|says|respon\w+|repl(?:y|ied)|answer(?:ed)?|returned|returns|reported|error)(?: (?:was|is|from \S{1,80}))?:? ?["'<(]*(?=(?:SMTP; ?|#)?[45]\d\d[ -])/gi,
  /[45]\d\d[ -]["'(<]{1,2}(?=[45]\.\d{1,3}\.\d{1,3}\b)/g,
  /["'(<[]{1,2}(?=[45]\d\d[ -]["'(]?(?:#?[45]\.\d{1,3}\.\d{1,3}|[a-z]))/gi,
  /(?<=[a-z] )(?:[45]\d\d[ -])?(?=[45]\d\d[ -]["'(]?[45]\.\d{1,3}\.\d{1,3} )/gi,
]

/** The innermost reply that the text quotes; undefined when it quotes none with words. */
function quotedReply(text: string): string | undefined {
  let from = -1
  for (const pattern of QUOTES) {
    for (const { index, 0: match } of text.matchAll(pattern)) from = Math.max(from, index + match.length)
  }
  // a long reply repeats its code on each line: the lines belong together
  const quoted = from < 1 ? '' : text.slice(from)
  const [code = ''] = /^[45]\d\d/.exec(quoted) ?? []
  const whole = code === '' ? quoted : text.slice(firstLine(text, code, from))
  return /[a-z]{3}/i.test(whole) ? whole : undefined
}

/** Where the reply begins whose last lines are at `from`. */
function firstLine(text: string, code: string, from: number): number {
  const first = text.slice(0, from).search(new RegExp(`(?<![\\d.])${code}[ -]`))
  return first < 0 ? from : first
}

function codesIn(text: string): { readonly code?: number; readonly enhancedCode?: string } {
  const [, code, behind] = REPLY.exec(text) ?? []
  const enhancedCode = behind ?? ENHANCED.exec(text)?.[1]
  return {
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
  }
}

/** The refusal with the codes of the reply it quotes. */
function withReply(refusal: Refusal, quoted: string): Refusal {
  const { code, enhancedCode } = codesIn(quoted)
  const isPermanent = (enhancedCode ?? code?.toString() ?? '5').startsWith('5') && (code ?? 500) >= 500
  return { ...refusal, permanent: refusal.permanent && isPermanent, code: code ?? 0, enhancedCode: enhancedCode ?? '' }
}

/** X.0.0 gives no reason. */
function isVague(status: string | undefined): boolean {
  return status === undefined || /^[245]\.0\.\d+$/.test(status)
}

/** How the text says that it was the sender's address that the server answered: Postfix, Exim, Sendmail, qmail, Courier. */
const OF_SENDER =
  /(?:\b(?:in (?:reply|response) to|reply to|after|did not like our|response to|answer to)|>>>|-->)(?: the| command| sending)?:? ?MAIL(?: FROM)?\b(?! delivery)(?!.{0,1000}(?:>>>|-->) ?RCPT)|\bdoes not like (?:the )?sender\b/i

/** How far the server had come when it refused, as far as the text says. */
function stageIn(text: string): Refusal['stage'] {
  if (OF_SENDER.test(text)) return 'mail'
  return /\bend of data\b|\bafter (?:sending )?DATA\b|\bafter I sent the message\b/i.test(text) ? 'data' : 'rcpt'
}
