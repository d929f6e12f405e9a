import type { RefusalClass } from '../ports/feedback-report.ts'
import type { Refusal } from '../ports/mail-transport.ts'
import { BY_CODE, BY_WORDS, type Kind, VAGUE } from './kinds.ts'

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

/** An SMTP reply anywhere in a text: its code and, if it has one, its enhanced code. */
const REPLY = /(?:^|[\s:;<("'-])([45]\d\d)(?:[ -]+#?\(?([45]\.\d{1,3}\.\d{1,3})\)?)?(?=[\s:;,.)-]|$)/
const ENHANCED = /(?:^|[\s(#:;[-])([45]\.\d{1,3}\.\d{1,3})(?=[\s):;,\]-]|\.?$)/m

/**
 * Judges a failure that was reported: a bounce message, a provider's notice. The rule is the one for live replies, so
 * the same words mean the same wherever they come from.
 */
export function judge({ status, words, isReport = false }: ReportedFailure): {
  readonly class: RefusalClass
  readonly status?: string
} {
  const text = words.slice(0, MAX_LENGTH).replace(/\s+/g, ' ')
  const { code, enhancedCode: said } = codesIn(text)
  // the server's own words are closer to the cause than what its client made of them, unless they are vaguer
  const enhancedCode = isVague(said) ? (isVague(status) ? (said ?? status) : status) : said
  const isPermanent = (enhancedCode ?? code?.toString() ?? '5').startsWith('5') && (code ?? 500) >= 500
  const refusal: Refusal = {
    permanent: isPermanent,
    stage: stageIn(text),
    ...(code === undefined ? {} : { code }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    reason: text,
  }
  const shown = enhancedCode ?? status
  return { class: classOf(refusal, isReport ? 'report' : 'reply'), ...(shown === undefined ? {} : { status: shown }) }
}

/**
 * Judges a refusal by its stage, its codes (RFC 5321, RFC 3463) and its text. `permanent` is only what says that this
 * address or its domain does not exist or will never take mail; what is unclear is `unknown`. Where one reply quotes
 * another, the inner one decides. Only `permanent` suppresses at once: `core/delivery/outcome.ts` does it for live
 * replies, `core/feedback/consequence.ts` for reports. Several soft bounces in a row suppress too (`soft-bounces.ts`).
 */
export function classOf(refusal: Refusal, source: 'reply' | 'report' = 'reply'): RefusalClass {
  const text = withoutAddresses(refusal.reason.slice(0, MAX_LENGTH).replace(/\s+/g, ' '))
  const quoted = quotedReply(text)
  const inner = quoted === undefined ? 'unknown' : classAlone(withReply(refusal, quoted), quoted, source)
  return inner === 'unknown' ? classAlone(refusal, text, source) : inner
}

function classAlone(refusal: Refusal, text: string, source: 'reply' | 'report'): RefusalClass {
  const { permanent, stage, code = 0, enhancedCode = '' } = refusal
  // the code is a part of what was said, also where the transport has cut it off
  const words = text.includes(enhancedCode) ? text : `${enhancedCode} ${text}`
  const told = BY_WORDS.find((kind) => isTime(kind, stage) && (isTold(kind, words) || kind.codes?.test(enhancedCode)))
  // whatever it says, it may pass; but a block is a block
  if (!permanent) return told?.class === 'policy' ? 'policy' : 'transient'
  // refused before the recipient was named
  if (stage === 'connect' || stage === 'mail') return told?.class === 'transient' ? 'transient' : 'policy'
  if (told !== undefined) return told.class
  const byCode = BY_CODE.find(({ codes }) => codes?.test(enhancedCode))
  if (byCode !== undefined) return byCode.class
  const vague = VAGUE.find((kind) => isTime(kind, stage) && isVaguely(kind, words, enhancedCode, source))
  if (vague !== undefined) return vague.class
  return isProtocolError(code) ? 'policy' : 'unknown'
}

function isTime({ when }: Kind, stage: Refusal['stage']): boolean {
  return when === undefined || (when === 'after the content') === (stage === 'data')
}

function isTold({ words = [], unless }: Kind, text: string): boolean {
  return words.some((pattern) => pattern.test(text)) && !unless?.test(text)
}

/** A vague kind needs its code and its words, if it has both. */
function isVaguely(kind: Kind, text: string, enhancedCode: string, source: 'reply' | 'report'): boolean {
  if (kind.isForReplies && source === 'report') return false
  if (kind.codes && !kind.codes.test(enhancedCode)) return false
  return kind.words === undefined || isTold(kind, text)
}

/** 500 to 504 say that the command was wrong, not the address (RFC 5321, section 4.2.2). */
function isProtocolError(code: number): boolean {
  return code >= 500 && code <= 504
}

/** Names of people and hosts may look like words about them. */
function withoutAddresses(text: string): string {
  return text.replace(/<?[^\s<>"'():;,[\]]{1,64}@[^\s<>"'():;,[\]]{1,255}>?/g, '<…>')
}

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

/** What the server had heard when it refused, as far as the text says. */
function stageIn(text: string): Refusal['stage'] {
  if (/\b(?:in reply to|after|did not like our|response to|>>>) ?:? ?MAIL(?: FROM)?\b/i.test(text)) return 'mail'
  return /\bend of data\b|\bafter (?:sending )?DATA\b|\bafter I sent the message\b/i.test(text) ? 'data' : 'rcpt'
}
