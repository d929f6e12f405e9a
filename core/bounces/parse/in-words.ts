import { isClear, type Judgement, judge } from '../judge.ts'
import {
  fromReason,
  ownWords,
  reasonIn,
  repliesIn,
  reportsDelay,
  withoutAdvice,
  withoutGreeting,
} from './failure-words.ts'
import type { HeaderFields, MimeMessage } from './mime.ts'
import { addressesIn, failedAddresses, wordsAbout } from './named-recipients.ts'
import type { ReportEnvelope, ReportedRecipient } from './parsed-report.ts'
import { isBounce, subjectOf } from './recognise.ts'

/** A judgement with the status code that it saw. */
export type Judged = Judgement & { readonly status?: string }

/** Reads a bounce written in free text; undefined when nothing shows that it is one. */
export function inWords(
  message: Pick<MimeMessage, 'fields'>,
  text: string,
  envelope: ReportEnvelope | undefined,
): readonly ReportedRecipient[] | undefined {
  const { fields } = message
  if (!isBounce(fields, text, envelope)) return undefined
  const words = ownWords(text)
  const late = reportsDelay(words)
  const recipients = recipientsOf(fields, words)
  const whom: readonly (string | undefined)[] = recipients.length === 0 ? [undefined] : recipients
  return whom.map((address) => {
    const about = wordsAbout(words, address, recipients)
    const { judged, reason } = judgeWords(about, address, ownSubject(fields))
    const { class: given, status, why } = judged
    return {
      ...(address === undefined ? {} : { address }),
      action: late ? 'delayed' : 'failed',
      class: late ? 'transient' : given,
      ...(status === undefined ? {} : { status }),
      ...shortened(reason ?? fromReason(about, why.words) ?? withoutGreeting(about)),
      why,
    }
  })
}

/**
 * Judges the text about one recipient, the surest first: a server's reply, the reason behind the address, the text, the
 * subject. Where there is a reply, what stands around it may explain it, and never makes it a lost address.
 */
function judgeWords(about: string, address: string | undefined, subject: string) {
  const stage = STAGE.exec(about)?.[0] ?? ''
  const replies = repliesIn(about)
  const told = replies.map((reply) => ({ reason: reply, judged: judge({ words: `${reply} ${stage}`.trim() }) }))
  const clear = told.find(({ judged }) => isClear(judged))
  if (clear !== undefined) return clear
  const [reply] = told
  const reason = reasonIn(about, address)
  const further = firstClear([
    () => judgeText(reason ?? ''),
    () => judgeText(about),
    () => judge({ words: subject, isReport: true }),
  ])
  if (reply === undefined) return { judged: further, reason }
  return { judged: isClear(further) && further.class !== 'permanent' ? further : reply.judged, reason: reply.reason }
}

/** Which command was answered, where it stands beside the reply: Exim, Sendmail's last command, qmail. */
const STAGE =
  /\bafter (?:RCPT|MAIL|end of data)\b|>>> MAIL\b(?=[^\r\n]{0,400}\r?\n<<< [45])|\bdoes not like (?:the )?sender\b/i

/** Judges text for people by what it says happened; advice counts only where it speaks for the address. */
export function judgeText(words: string, status?: string): Judged {
  const happened = judge({ status, words: withoutAdvice(words), isReport: true })
  if (isClear(happened)) return happened
  const all = judge({ status, words, isReport: true })
  return all.class === 'permanent' ? happened : all
}

/** The first of these judgements that says anything; the first of all when none does. */
export function firstClear(judgements: readonly [() => Judged, ...(() => Judged)[]]): Judged {
  let first: Judged | undefined
  for (const each of judgements) {
    const judged = each()
    if (isClear(judged)) return judged
    first ??= judged
  }
  return first ?? judgements[0]()
}

/** How many characters of a server's reply are kept. */
const MAX_DIAGNOSTIC_LENGTH = 2000

/** The diagnostic of a report as it is kept; none when there are no words. */
export function shortened(said: string): Pick<ReportedRecipient, 'diagnostic'> {
  const text = said
    .slice(0, 2 * MAX_DIAGNOSTIC_LENGTH)
    .replace(/[\s\u0000]+/g, ' ')
    .trim()
    .slice(0, MAX_DIAGNOSTIC_LENGTH)
  return text === '' ? {} : { diagnostic: text }
}

/** Those that a text says have failed; several addresses in it are seldom several recipients. */
function recipientsOf(fields: HeaderFields, words: string): readonly string[] {
  const failed = fields.all('x-failed-recipients').flatMap(addressesIn)
  if (failed.length > 0) return [...new Set(failed)]
  const own = ['to', 'from', 'delivered-to', 'x-original-to', 'return-path']
  const mine = new Set(own.flatMap((name) => fields.all(name).flatMap(addressesIn)))
  const named = failedAddresses(words).filter((address) => !mine.has(address) && !isPostmaster(address))
  return named.slice(0, severalFail(words, named) ? 10 : 1)
}

/** The subject as far as the mail system made it: many quote the subject of the mail behind a colon. */
function ownSubject(fields: HeaderFields): string {
  return subjectOf(fields).split(/:/, 1)[0] ?? ''
}

/** Each address has its own line, or begins one. */
function severalFail(words: string, named: readonly string[]): boolean {
  const heads =
    words.match(/^[ \t]{0,20}<?[^\s<>@]{1,64}@[^\s<>@:]{1,255}>?(?::[ \t].{3,}|:?[ \t\r]{0,20})$/gm)?.length ?? 0
  return heads > 1 && heads >= named.length
}

function isPostmaster(address: string): boolean {
  return /^(?:mailer-daemon|postmaster|abuse)@/.test(address)
}
