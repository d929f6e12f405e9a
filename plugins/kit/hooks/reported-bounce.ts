import { judge } from '../../../core/bounces/judge.ts'
import type { FeedbackReport, RefusalClass } from '../../../core/ports/feedback-report.ts'

/** What a provider says of a bounce. */
export interface ReportedBounce {
  /** What the provider takes it for. */
  readonly said: RefusalClass
  readonly status?: string | undefined
  /** What the receiving server said. */
  readonly words?: string | undefined
}

/**
 * What a provider says of a bounce, and what the receiving server said, in one. A provider that calls it permanent is not
 * believed where the server plainly speaks of something that passes, or of us: a spam block suppresses nobody, whatever it
 * is called. What it takes for less is never made more; of what it does not know the words decide.
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
