import type * as v from 'valibot'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { LeftOutContact, LeftOutReasons } from '../ports/store/left-out.ts'
import type { Store } from '../ports/store/store.ts'
import { SUPPRESSION_REASONS } from '../ports/store/suppressions.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import type { CampaignStats } from './campaign-numbers.ts'
import { LEFT_OUT_FIGURES, type LeftOutFigure, type ListLeftOut } from './campaign-request.ts'

/** Under which figure of `skipped` each reason is counted. */
const COUNTED: Readonly<Record<LeftOutFigure, LeftOutReasons>> = {
  unsubscribed: { atStart: ['unsubscribed'], later: ['unsubscribed'] },
  suppressed: { atStart: ['suppressed'], later: SUPPRESSION_REASONS.map((reason) => `suppressed:${reason}` as const) },
  paused: { atStart: ['paused'], later: ['paused'] },
  topic: { atStart: ['topic'], later: ['topic'] },
  contactRemoved: { atStart: [], later: ['contact-removed'] },
  cancelled: { atStart: [], later: ['campaign-cancelled', 'cancelled'] },
  capped: { atStart: [], later: ['capped'] },
  heldOut: { atStart: [], later: ['held-out'] },
  caught: { atStart: [], later: ['caught', 'cleared'] },
}

/** A contact that a campaign left out, under the figure that counts it. */
export interface LeftOutEntry extends Omit<LeftOutContact, 'reason'> {
  /** The figure that counts it. */
  readonly reason: LeftOutFigure
}

/** One page of the contacts behind a figure of `skipped`, or behind all of them, the newest first. */
export async function leftOutPage(
  store: Store,
  { id: campaignId, projectId }: Campaign,
  { limit, cursor, reason }: v.InferOutput<typeof ListLeftOut>,
  stats: () => Promise<CampaignStats>,
): Promise<Page<LeftOutEntry>> {
  const list = { projectId, name: `left-out:${campaignId}:${reason ?? ''}` }
  const { after } = pageRequest(list, { limit, cursor })
  const chosen = reason === undefined ? Object.values(COUNTED) : [COUNTED[reason]]
  const reasons = {
    atStart: chosen.flatMap(({ atStart }) => atStart),
    later: chosen.flatMap(({ later }) => later),
  }
  const rows = await store.leftOut.page(projectId, campaignId, reasons, { limit, ...(after && { before: after.id }) })
  const total = async () => {
    const { skipped } = await stats()
    return reason === undefined ? Object.values(skipped).reduce((sum, count) => sum + count, 0) : skipped[reason]
  }
  const entries = rows.map((row) => ({ ...row, reason: reason ?? figureOf(row.reason) }))
  return pageOf(list, entries, limit, after ? 0 : await total(), ({ id }) => ({ value: '', id }))
}

function figureOf(reason: LeftOutContact['reason']): LeftOutFigure {
  const is = (figure: LeftOutFigure) => [...COUNTED[figure].atStart, ...COUNTED[figure].later].includes(reason)
  return LEFT_OUT_FIGURES.find(is) ?? 'suppressed'
}
