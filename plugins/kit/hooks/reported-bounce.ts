import { judge } from '../../../core/bounces/judge.ts'
import type { FeedbackReport, RefusalClass } from '../../../core/ports/feedback-report.ts'

/** A bounce as a provider reports it. */
export interface ReportedBounce {
  /** The provider's own class. */
  readonly said: RefusalClass
  readonly status?: string | undefined
  /** The receiving server's reply. */
  readonly words?: string | undefined
}

/**
 * Combines the provider's class with the receiving server's reply. Providers call much permanent that is not the
 * address's fault, so the reply decides where there is one, by the rule for all replies: only what says that there is
 * no such address is permanent. Without a reply the provider is believed. A milder class never becomes permanent.
 */
export function reportedBounce({ said, status, words }: ReportedBounce): NonNullable<FeedbackReport['bounce']> {
  const judged = judge({ status, words: words ?? '' })
  const isSaid = judged.class !== 'unknown' || CODE.test(words ?? '') || !/^5\.0\.\d+$/.test(status ?? '5.0.0')
  const shown = judged.status ?? status
  return {
    class: said === 'unknown' || (said === 'permanent' && isSaid) ? judged.class : said,
    ...(shown === undefined ? {} : { status: shown }),
    ...(words === undefined ? {} : { diagnostic: words }),
  }
}

/** A server's reply has one of these; other words are the provider's own. */
const CODE = /(?:^|[\s;:("'-])[45](?:\d\d\b|\.\d{1,3}\.\d{1,3}\b)/
