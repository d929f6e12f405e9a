import type { RefusalClass } from '../ports/feedback-report.ts'
import { classOf } from './refusal.ts'

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
const ENHANCED = /(?:^|[\s(#:;[-])([45]\.\d{1,2}\.\d{1,3})(?=[\s):;,\]-]|\.?$)/m

/** Judges a reported failure by the rules for SMTP replies, so that refusals are judged in one place. */
export function judge({ status, words, isReport = false }: ReportedFailure): {
  readonly class: RefusalClass
  readonly status?: string
} {
  const text = words.slice(0, 8000).replace(/\s+/g, ' ')
  const [, code, behind] = REPLY.exec(text) ?? []
  const said = behind ?? ENHANCED.exec(text)?.[1]
  // the server's own words are closer to the cause than what its client made of them, unless they are vaguer
  const enhancedCode = isVague(said) ? (isVague(status) ? (said ?? status) : status) : said
  const isPermanent = (enhancedCode ?? code ?? '5').startsWith('5') && !(code ?? '5').startsWith('4')
  const refusal = {
    permanent: isPermanent,
    stage: stageIn(text),
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    reason: text,
  }
  const shown = enhancedCode ?? status
  return { class: classOf(refusal, isReport ? 'report' : 'reply'), ...(shown === undefined ? {} : { status: shown }) }
}

/** X.0.0 gives no reason. */
function isVague(status: string | undefined): boolean {
  return status === undefined || /^[245]\.0\.\d+$/.test(status)
}

function stageIn(text: string): 'mail' | 'rcpt' | 'data' {
  if (/\b(?:in reply to|after|did not like our|response to|>>>) ?:? ?MAIL(?: FROM)?\b/i.test(text)) return 'mail'
  if (/\b(?:in reply to|after|did not like our|response to|>>>) ?:? ?RCPT(?: TO)?\b/i.test(text)) return 'rcpt'
  return 'data'
}
