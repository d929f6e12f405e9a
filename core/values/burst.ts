/**
 * A visit by a mail's links that passed for a person's: a link that was followed or, as `PAGE`, a look at the page to
 * unsubscribe or to manage the subscription.
 */
export interface Visit {
  readonly what: string
  readonly at: Date
}

/** A look at a page of the subscription. */
export const PAGE = 'page'

/** A stretch of time, both ends included. */
export interface Burst {
  readonly from: Date
  readonly to: Date
}

/** How soon after delivery a gateway begins to open what a mail has. */
const SOON_MS = 60_000
/** How much time lies between the first and the last visit that count together. */
const TOGETHER_MS = 10_000
/** As many different links no person follows in that time, so soon. */
const LINKS = 3

/** Until when after its delivery the visits of a mail may belong to a burst. */
export function mayBurst(sentAt: Date | undefined, at: Date): boolean {
  return sentAt === undefined || at.getTime() <= sentAt.getTime() + SOON_MS + TOGETHER_MS
}

/**
 * The burst in which a gateway opened what a mail has, whatever it calls itself: soon after delivery, within seconds,
 * several links, or a link and the page to unsubscribe. Undefined when people may have done all of it; hours later
 * nothing is a burst. `sentAt` is undefined when the mail is still being handed over.
 */
export function burstIn(visits: readonly Visit[], sentAt: Date | undefined): Burst | undefined {
  const inOrder = visits.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const times = inOrder.map(({ at }) => at.getTime())
  const latest = (sentAt?.getTime() ?? times[0] ?? 0) + SOON_MS
  let burst: Burst | undefined
  for (const [i, { at }] of inOrder.entries()) {
    const end = at.getTime() + TOGETHER_MS
    if (at.getTime() > latest) break
    const whats = new Set(inOrder.slice(i).flatMap((visit) => (visit.at.getTime() <= end ? [visit.what] : [])))
    const isBurst = whats.size >= (whats.has(PAGE) ? 2 : LINKS)
    // the picture may be fetched just before the links
    if (isBurst) burst = { from: burst?.from ?? new Date(at.getTime() - TOGETHER_MS), to: new Date(end) }
  }
  return burst
}

/** Whether this moment lies in the burst. */
export function isWithin(burst: Burst | undefined, at: Date): boolean {
  return burst !== undefined && at >= burst.from && at <= burst.to
}
