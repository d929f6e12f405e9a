import type { RefusalClass } from '../ports/feedback-report.ts'
import { classOf } from './refusal.ts'

/** What is known of a failure, in whatever form it was told. */
export interface ToldFailure {
  readonly status?: string | undefined
  /** What the refusing server said, or the words of the report. */
  readonly words: string
  /** True when the words are a whole report's, not one server's reply. */
  readonly isReport?: boolean
}

/** An SMTP reply somewhere in a text: its code and, when it has one, its enhanced code. */
const REPLY = /(?:^|[\s:;<("'-])([45]\d\d)(?:[ -]+#?\(?([45]\.\d{1,3}\.\d{1,3})\)?)?(?=[\s:;,.)-]|$)/
const ENHANCED = /(?:^|[\s(#:;[-])([45]\.\d{1,2}\.\d{1,3})(?=[\s):;,\]-]|\.?$)/m

/** Judges what a report tells, by the rules for replies of SMTP: there is one place where refusals are judged. */
export function judge({ status, words, isReport = false }: ToldFailure): {
  readonly class: RefusalClass
  readonly status?: string
} {
  const text = words.slice(0, 8000).replace(/\s+/g, ' ')
  const [, code, behind] = REPLY.exec(text) ?? []
  const said = behind ?? ENHANCED.exec(text)?.[1]
  // the words of the server are nearer to the cause than what its client made of them, unless they say less
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

/** X.0.0 says nothing. */
function isVague(status: string | undefined): boolean {
  return status === undefined || /^[245]\.0\.\d+$/.test(status)
}

function stageIn(text: string): 'mail' | 'rcpt' | 'data' {
  if (/\b(?:in reply to|after|did not like our|response to|>>>) ?:? ?MAIL(?: FROM)?\b/i.test(text)) return 'mail'
  if (/\b(?:in reply to|after|did not like our|response to|>>>) ?:? ?RCPT(?: TO)?\b/i.test(text)) return 'rcpt'
  return 'data'
}
