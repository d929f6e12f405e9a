import type { DmarcPolicy } from '../ports/store/domain-reports.ts'
import { type Sentence, type SentencesOf, sentencesOf } from '../values/advice.ts'
import type { ReportedSource } from './report-sources.ts'

/** The advice about the policy of a domain. A text may change, what its code means may not: others translate it. */
export const REPORT_ADVICE = {
  reports_none:
    'No report on mail from this domain has come in this time. Receivers send one a day to the address after rua= in the DMARC record.',
  reports_few:
    'It is too early to judge: that takes reports from 14 days (so far {days}) about 100 messages from your own senders (so far {messages}).',
  reports_fix_own:
    'Of the mail that this server sent, {failed} of {messages} failed DMARC: check the records of this domain before you make the policy stricter.',
  reports_fix_sender:
    'Of the mail by {name}, {failed} of {messages} failed DMARC: set up DKIM for {domain} there before you make the policy stricter, or it will be lost.',
  reports_to_quarantine:
    'Your own mail passes DMARC ({passed} %). It is safe to change the policy to p=quarantine: what fails then goes to spam.',
  reports_to_reject:
    'Your own mail passes DMARC ({passed} %). It is safe to change the policy to p=reject: what fails is then refused.',
  reports_at_reject: 'Your own mail passes DMARC ({passed} %), and the policy is p=reject: there is nothing to do.',
  reports_strangers:
    'Senders that are not known sent mail that fails (messages: {messages}). If none of them is yours, p=reject keeps it from your readers.',
} as const

const reportAdvice: SentencesOf<typeof REPORT_ADVICE> = sentencesOf(REPORT_ADVICE)

/** From how many days and messages on there is something to say. */
const ENOUGH = { days: 14, messages: 100 }
/** Mail passed on breaks now and then; up to this share of a sender's messages may fail. */
const TOLERATED = 0.02

/** The facts that the advice rests on. */
export interface Judged {
  readonly domain: string
  /** How many days have reports. */
  readonly days: number
  /** The policy that was reported last. */
  readonly policy: DmarcPolicy | undefined
  readonly senders: readonly ReportedSource[]
}

/** Says whether the policy may become stricter, and what to do before. */
export function judgeReports({ domain, days, policy, senders }: Judged): readonly Sentence[] {
  if (senders.length === 0) return [reportAdvice('reports_none')]
  const yours = senders.filter(({ kind }) => kind === 'own' || kind === 'service' || kind === 'other')
  const messages = sum(yours, ({ messages }) => messages)
  const strangers = sum(
    senders.filter(({ kind }) => kind === 'unknown'),
    ({ messages, passed }) => messages - passed,
  )
  const further = strangers > 0 ? [reportAdvice('reports_strangers', { messages: strangers })] : []
  const failing = yours.find((sender) => sender.messages - sender.passed > sender.messages * TOLERATED)
  if (failing) {
    const about = { failed: failing.messages - failing.passed, messages: failing.messages }
    const { kind, name } = failing
    const advice =
      kind === 'own'
        ? reportAdvice('reports_fix_own', about)
        : reportAdvice('reports_fix_sender', { ...about, name, domain })
    return [advice, ...further]
  }
  if (days < ENOUGH.days || messages < ENOUGH.messages)
    return [reportAdvice('reports_few', { days, messages }), ...further]
  const passed = Math.floor((sum(yours, ({ passed }) => passed) / messages) * 1000) / 10
  if (policy === 'reject') return [reportAdvice('reports_at_reject', { passed })]
  const next = policy === 'quarantine' ? 'reports_to_reject' : 'reports_to_quarantine'
  return [reportAdvice(next, { passed }), ...further]
}

function sum(senders: readonly ReportedSource[], of: (sender: ReportedSource) => number): number {
  return senders.reduce((total, sender) => total + of(sender), 0)
}
