import { causeOf, sentence } from '../bounces/refusal.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import { isTest } from '../mail/email.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import type { Answer, Refusal } from '../ports/mail-transport.ts'
import { DELETED_RECIPIENT, type Email } from '../ports/store/emails.ts'
import type { Counted, CountedFact } from '../ports/store/reputation.ts'
import { domainOf } from '../values/email-address.ts'
import type { Consequence } from './consequence.ts'

const LONGEST_TEXT = 500
const LONGEST_CODE = 20

/** The facts of a try that are counted. */
export interface CountedTry {
  readonly email: Email
  /** The author's address. */
  readonly from: string
  readonly answer: Answer
  /** Why its own recipient was refused; undefined when it was not. */
  readonly refusal: Refusal | undefined
  readonly at: Date
}

/**
 * The counts that a finished try adds to the figures of its domains; undefined when it says nothing about them (unknown
 * outcome, our next hop could not be reached), and for tests. A mail counts as `sent` once, when it was accepted or
 * refused for good.
 */
export function countedTry({ email, from, answer, refusal, at }: CountedTry): Counted | undefined {
  if (answer.outcome === 'unknown' || isTest(email)) return undefined
  const base = { projectId: email.projectId, at, sendingDomain: domainOf(from), recipientDomain: domainOf(email.to) }
  if (refusal === undefined) {
    const isPending = answer.outcome === 'accepted' && answer.deliveryPending
    return { ...base, facts: isPending ? ['sent'] : ['sent', 'delivered'] }
  }
  const status = refusal.enhancedCode ?? refusal.code?.toString()
  const note = { refusal: noteOf(status, sentence(refusal), email.to) }
  const cause = causeOf(refusal)
  // replies before the recipient is named concern only our next hop and us
  if (refusal.stage === 'connect') return undefined
  if (refusal.stage === 'mail')
    return cause === 'later' ? undefined : { ...base, ...note, recipientDomain: '', facts: [] }
  const facts: Record<typeof cause, readonly CountedFact[]> = {
    later: ['deferred'],
    recipient: ['sent', 'bounced'],
    unclear: ['sent'],
    sender: ['sent'],
  }
  return { ...base, ...note, facts: facts[cause] }
}

/** A refusal as stored: its code, and the text without the addresses in it. */
function noteOf(status: string | undefined, text: string, to: string): NonNullable<Counted['refusal']> {
  const code = status ?? /\b[245]\d\d\b/.exec(text)?.[0] ?? ''
  return { code: code.slice(0, LONGEST_CODE), text: shown(text, to) }
}

/** Figures are kept longer than personal data, so addresses are removed from the server's text. */
function shown(text: string, to: string): string {
  const local = to.slice(0, to.lastIndexOf('@'))
  const escaped = local.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  const named = local.length < 3 ? undefined : new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'gi')
  const bare = text.replace(/[^\s<>()[\]"',;:=]{1,64}@(?=[\w-])/g, '…@')
  return (named ? bare.replace(named, '…') : bare).replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT).toWellFormed()
}

/**
 * The counts that an effective report adds to the figures of its mail's domains; nothing once the content is deleted.
 */
export function countedReport(
  { report, mail }: { readonly report: FeedbackReport; readonly mail: CompiledMail | undefined },
  { email, news }: Consequence,
  at: Date,
): readonly Counted[] {
  const { kind, bounce } = report
  if (mail === undefined || email.to === DELETED_RECIPIENT || isTest(email)) return []
  const domains = { sendingDomain: domainOf(mail.content.from.email), recipientDomain: domainOf(email.to) }
  const isBounce = kind === 'bounced' && bounce?.class === 'permanent'
  const fact = isBounce ? 'bounced' : kind === 'delivered' || kind === 'complained' ? kind : undefined
  const refusal = news.error === undefined ? {} : { refusal: noteOf(bounce?.status, news.error, email.to) }
  return [{ projectId: email.projectId, at, ...domains, facts: fact === undefined ? [] : [fact], ...refusal }]
}
