import { judge } from '../bounces/judge.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'

/** So much of what a server said is kept, and of the address of a link. */
const LONGEST_WORDS = 2000
const LONGEST_LINK = 4000

/**
 * What a report changed.
 * - `changed`: the mail's record, events, the suppression list or the contact.
 * - `known`: nothing any more; it, or something later, was told before, or the mail is not tracked.
 * - `no-mail`: no mail of ours that was sent, or somebody who was not its recipient: nothing.
 * - `noted`: it is no end (`delayed`), or tells of an opening or a click of who wants none told: nothing.
 */
export type FeedbackOutcome = 'changed' | 'known' | 'no-mail' | 'noted'

/** The report with texts that every store can keep, whoever wrote them: no NUL, no half characters, nothing endless. */
export function storable(report: FeedbackReport): FeedbackReport {
  const { mail, bounce, link } = report
  return {
    ...report,
    ...('providerId' in mail ? { mail: { providerId: plain(mail.providerId, 500) } } : {}),
    ...(bounce === undefined ? {} : { bounce: plainBounce(bounce) }),
    ...(link === undefined ? {} : { link: plain(link, LONGEST_LINK) }),
  }
}

function plainBounce({ class: given, status = '', diagnostic }: NonNullable<FeedbackReport['bounce']>) {
  const words = diagnostic === undefined ? undefined : plain(diagnostic, LONGEST_WORDS)
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined
  return {
    class: given ?? judge({ status: code, words: words ?? '' }).class,
    ...(code === undefined ? {} : { status: code }),
    ...(words === undefined ? {} : { diagnostic: words }),
  }
}

function plain(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll('\0', ' ').toWellFormed()
}
