import { judge } from '../../../core/bounces/judge.ts'
import type { FeedbackReport, RefusalClass } from '../../../core/ports/feedback-report.ts'

/** What a provider reports about a bounce. */
export interface ReportedBounce {
  /** The provider's own class. */
  readonly said: RefusalClass
  readonly status?: string | undefined
  /** The receiving server's reply. */
  readonly words?: string | undefined
}

/**
 * Combines the provider's class with the receiving server's reply. A permanent bounce is not believed when the reply is
 * plainly about something temporary or about us, so that a spam block suppresses nobody, whatever it is called. A
 * milder class never becomes permanent. For an unknown one, the reply decides.
 */
export function reportedBounce({ said, status, words }: ReportedBounce): NonNullable<FeedbackReport['bounce']> {
  const judged = judge({ status, words: words ?? '' })
  const isMild = judged.class === 'transient' || judged.class === 'policy'
  const shown = judged.status ?? status
  return {
    class: said === 'unknown' || (said === 'permanent' && isMild) ? judged.class : said,
    ...(shown === undefined ? {} : { status: shown }),
    ...(words === undefined ? {} : { diagnostic: words }),
  }
}
