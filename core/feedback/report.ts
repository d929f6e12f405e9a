import { judge } from '../bounces/judge.ts'
import type { FeedbackReport, RefusalClass, RefusalWhy } from '../ports/feedback-report.ts'

/** How many characters of a server's reply are kept, and of a link's URL. */
const MAX_REPLY_LENGTH = 2000
const MAX_LINK_LENGTH = 4000
/** How many characters of the deciding words are kept. */
const MAX_WORDS = 200

/**
 * The effect of a report.
 * - `changed`: the mail's record, events, the suppression list or the contact.
 * - `known`: nothing; it, or something later, was reported before, or the mail is not tracked.
 * - `no-mail`: nothing; it names no sent mail of ours, or a person who was not its recipient.
 * - `noted`: nothing; it is not final (`delayed`), or an opening or click that the contact does not want recorded.
 */
export type FeedbackOutcome = 'changed' | 'known' | 'no-mail' | 'noted'

/** The report with texts that every store can keep: no NUL, no broken surrogates, limited length. */
export function storable(report: FeedbackReport): FeedbackReport {
  const { mail, bounce, link } = report
  return {
    ...report,
    ...('providerId' in mail ? { mail: { providerId: plain(mail.providerId, 500) } } : {}),
    ...(bounce === undefined ? {} : { bounce: plainBounce(bounce) }),
    ...(link === undefined ? {} : { link: plain(link, MAX_LINK_LENGTH) }),
  }
}

function plainBounce({ class: given, status = '', diagnostic, why }: NonNullable<FeedbackReport['bounce']>) {
  const words = diagnostic === undefined ? undefined : plain(diagnostic, MAX_REPLY_LENGTH)
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined
  const judged = judge({ status: code, words: words ?? '' })
  const known = given === undefined || given === judged.class ? judged.why : providersOwn(given)
  return {
    class: given ?? judged.class,
    why:
      why === undefined
        ? known
        : { ...why, ...(why.words === undefined ? {} : { words: plain(why.words, MAX_WORDS) }) },
    ...(code === undefined ? {} : { status: code }),
    ...(words === undefined ? {} : { diagnostic: words }),
  }
}

/** A provider's class that the words do not give. */
function providersOwn(given: RefusalClass): RefusalWhy {
  return { by: 'provider', kind: OF_CLASS[given] }
}

const OF_CLASS = {
  permanent: 'no_such_address',
  transient: 'temporary',
  policy: 'policy',
  unknown: 'unclear',
} as const

function plain(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll('\0', ' ').toWellFormed()
}
