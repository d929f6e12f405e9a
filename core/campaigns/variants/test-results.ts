import type { TestCounters } from '../../ports/store/campaign-mails.ts'
import type { Campaign, TestPart, TestProgress, VariantName, VariantTest } from '../../ports/store/campaigns.ts'
import { percentage } from '../../values/percentage.ts'
import { asVariant } from './as-variant.ts'
import { endOfTest, namesOf } from './test-progress.ts'
import { chanceOfDifference, interval } from './two-proportions.ts'
import { type Contestant, verdictOf } from './verdict.ts'

/** The figures of a part of a test. Rates are percentages of the mails sent, or of the people who got nothing. */
export interface PartResult {
  /** Which part of the test it is. */
  readonly variant: TestPart
  /** How many mails there are. */
  readonly recipients: number
  /** How many the next hop accepted. */
  readonly sent: number
  /** How many were delivered, and did not come back later. */
  readonly delivered: number
  /** How many of these were only written to a folder, since no mail server was set. */
  readonly toFolder: number
  /** How many were opened, by people or machines. */
  readonly opened: number
  /** How many were opened by people. */
  readonly humanOpened: number
  /** How many had a link followed, by people or machines. */
  readonly clicked: number
  /** How many had a link followed by people. */
  readonly humanClicked: number
  /** How many bounced for good. */
  readonly bounced: number
  /** How many were reported as spam. */
  readonly complained: number
  /** How many recipients unsubscribed by its link. */
  readonly unsubscribed: number
  /** How many could not be sent. */
  readonly failed: number
  /** How many were left out after all. */
  readonly skipped: number
  /** How many met what is compared. */
  readonly met: number
  /** Percentage of them that met what is compared. */
  readonly rate: number
  /** Between which rates the true one lies, with a confidence of 95 %. */
  readonly low: number
  /** The upper end of that range. */
  readonly high: number
  /**
   * How probable its distance from the best is by chance alone, from 0 to 1; of those who got nothing, the distance from
   * all others. null when there are too few figures to tell.
   */
  readonly pValue: number | null
}

/** A variant as it is compared. */
export interface VariantResult extends PartResult {
  /** A letter: `A`, `B` … */
  readonly variant: VariantName
  /** Its subject, with placeholders. */
  readonly subject: string
  /** Its sender's address. */
  readonly from: string
}

/** How the variants of a campaign compare. */
export interface TestResults {
  /** null before it is sent, and without a test. */
  readonly phase: 'testing' | 'waiting' | 'rest' | null
  /** The figure that is compared; null without a test. */
  readonly metric: VariantTest['metric'] | null
  /** The name of the event, when that is compared; else null. */
  readonly event: string | null
  /** When the time of the comparison is over; null before it began. */
  readonly endsAt: Date | null
  /** The variant that won; null so far. */
  readonly winner: VariantName | null
  /** Who or what chose the winner: a person, the figures, or the time, which took the best so far. null before. */
  readonly chosenBy: TestProgress['chosenBy'] | null
  /** The best so far. */
  readonly best: VariantName | null
  /** Whether it is better than each of the others by more than chance explains. */
  readonly isClear: boolean
  /** The figures of each variant. */
  readonly variants: readonly VariantResult[]
  /** Those who got the winner after the test; null before. */
  readonly rest: PartResult | null
  /** Those who get nothing; null when there are none. */
  readonly heldOut: PartResult | null
}

type Counters = ReadonlyMap<TestPart, TestCounters>

/** The event that variants are compared by, and since when it counts. */
export function eventOf({ test, startedAt }: Campaign): { readonly name: string; readonly from: Date } | undefined {
  if (test?.metric !== 'event' || test.event === undefined || startedAt === undefined) return undefined
  return { name: test.event, from: startedAt }
}

/** The figures of each variant that are compared: how many of those it was sent to met the metric. */
export function contestantsOf(campaign: Campaign, counters: Counters): readonly Contestant[] {
  return namesOf(campaign).map((variant) => ({ variant, ...proportionOf(campaign, counters.get(variant)) }))
}

/** The results of the campaign's test, of these counters. */
export function testResults(campaign: Campaign, counters: Counters): TestResults {
  const { test, fanOut } = campaign
  const { best, isClear, chances } = verdictOf(contestantsOf(campaign, counters))
  const part = (variant: TestPart, pValue: number | null) =>
    partResult(campaign, variant, counters.get(variant), pValue)
  const variants = namesOf(campaign).map((variant) => {
    const { subject, from } = asVariant(campaign, variant)
    return { ...part(variant, chances.get(variant) ?? null), variant, subject, from }
  })
  return {
    phase: fanOut?.phase ?? null,
    metric: test?.metric ?? null,
    event: test?.event ?? null,
    endsAt: endOfTest(campaign) ?? null,
    winner: fanOut?.test?.winner ?? null,
    chosenBy: fanOut?.test?.chosenBy ?? null,
    best: best ?? null,
    isClear,
    variants,
    rest: counters.has('rest') ? part('rest', null) : null,
    heldOut: counters.has('held-out') ? part('held-out', heldOutChance(campaign, counters)) : null,
  }
}

/** A mail that bounced after all was sent, and may have been opened by a scanner before. */
function proportionOf({ test }: Campaign, counters: TestCounters | undefined) {
  if (counters === undefined) return { count: 0, of: 0 }
  const { sent, humanOpened, humanClicked, happened } = counters
  const met = { opens: humanOpened, clicks: humanClicked, event: happened }[test?.metric ?? 'clicks']
  return { count: Math.min(met, sent), of: sent }
}

/** How probable the distance of those who got nothing from all who got something is; only an event happens to both. */
function heldOutChance({ test }: Campaign, counters: Counters): number | null {
  const without = counters.get('held-out')
  if (test?.metric !== 'event' || without === undefined) return null
  const all = [...counters].filter(([part]) => part !== 'held-out').map(([, each]) => each)
  const count = all.reduce((sum, { happened, sent }) => sum + Math.min(happened, sent), 0)
  const of = all.reduce((sum, { sent }) => sum + sent, 0)
  return chanceOfDifference({ count, of }, { count: without.happened, of: without.recipients }) ?? null
}

function partResult(
  campaign: Campaign,
  variant: TestPart,
  counters: TestCounters | undefined,
  pValue: number | null,
): PartResult {
  const { happened = 0, skipped = {}, bouncedLater, failedLater, ...counts } = counters ?? NOTHING
  const isHeldOut = variant === 'held-out'
  const compared = isHeldOut ? { count: happened, of: counts.recipients } : proportionOf(campaign, counters)
  const { count, of } = compared
  const [low, high] = interval(compared)
  const left = Object.values(skipped).reduce((sum, each) => sum + each, 0)
  return {
    ...counts,
    variant,
    skipped: left,
    met: count,
    rate: percentage(count, of),
    low: percentage(low, 1),
    high: percentage(high, 1),
    pValue,
  }
}

const NOTHING: TestCounters = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  toFolder: 0,
  opened: 0,
  humanOpened: 0,
  clicked: 0,
  humanClicked: 0,
  bounced: 0,
  bouncedLater: 0,
  complained: 0,
  unsubscribed: 0,
  failed: 0,
  failedLater: 0,
  skipped: {},
  happened: 0,
}
