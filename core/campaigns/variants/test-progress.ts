import { EngineError } from '../../errors.ts'
import {
  type Campaign,
  type FanOut,
  type TestProgress,
  VARIANTS,
  type VariantName,
} from '../../ports/store/campaigns.ts'
import type { Warning } from '../../values/unknown-keys.ts'
import { requireStatus } from '../campaign-status.ts'
import { planAfterPause } from '../send-plan.ts'
import type { Shares } from './test-part.ts'
import { isTooSmall } from './test-size.ts'

const HOUR_MS = 3_600_000

/**
 * How a campaign's test shares out its audience; undefined without a test. Without other variants all take part, and where
 * the audience was too small for the share from the beginning.
 */
export function sharesOf({ test, variants = [], fanOut }: Campaign): Shares | undefined {
  if (test === undefined) return undefined
  const takesAll = variants.length === 0 || (fanOut?.phase === 'testing' && fanOut.test?.whole)
  return { share: takesAll ? 100 : test.share, holdOut: test.holdOut, variants: 1 + variants.length }
}

/** The warnings about a test that is too small, and about one of which chance may leave no recipient. */
export function testWarnings(campaign: Campaign, recipients: number): readonly Warning[] {
  const shares = sharesOf(campaign)
  if (shares === undefined || recipients === 0) return []
  const { share, variants, holdOut } = shares
  const people = recipients === 1 ? '1 recipient is' : `${recipients} recipients are`
  const whole = holdOut === 0 ? 'and whole' : `to all but the ${holdOut} % that get nothing,`
  const small = {
    field: 'test.share',
    message: `${share} % of ${people} too few for ${variants} variants: the campaign goes out at once ${whole} with an equal part for each variant. Nothing waits for a winner`,
  }
  const chance = {
    field: 'test.holdOut',
    message: `${holdOut} % of ${recipients} get nothing, as chance has it: that may be all of them`,
  }
  const isLeftToChance = (holdOut / 100) ** recipients >= UNLIKELY
  return [...(isTooSmall(shares, recipients) ? [small] : []), ...(isLeftToChance ? [chance] : [])]
}

/** How likely it may be, without a warning, that all recipients are held out. */
const UNLIKELY = 0.001

/** The names of the campaign's variants, the campaign itself included. */
export function namesOf({ variants = [] }: Campaign): readonly VariantName[] {
  return VARIANTS.slice(0, 1 + variants.length)
}

/** The fan-out once a page has come to the end of the audience: of a test the winner is waited for, if there is a rest. */
export function atEnd(to: FanOut, shares: Shares | undefined, now: Date): FanOut {
  if (to.phase !== 'testing' || to.test === undefined || !shares || shares.share === 100) return { ...to, done: true }
  return { ...to, done: false, phase: 'waiting', cursor: '', test: { ...to.test, since: now.toISOString() } }
}

/** The fan-out of a test of which a variant has no recipient: the rest gets the variants in equal parts, and no winner. */
export function asWhole(fanOut: FanOut): FanOut {
  if (fanOut.phase !== 'waiting' || fanOut.test === undefined) return fanOut
  const { since: _, ...test } = fanOut.test
  return { ...fanOut, phase: 'rest', test: { ...test, whole: true } }
}

/** The fan-out of a campaign that continues: the time of a comparison begins again, since nothing was sent meanwhile. */
export function restarted(fanOut: FanOut, now: Date): FanOut {
  const { phase, test } = fanOut
  return phase === 'waiting' && test ? { ...fanOut, test: { ...test, since: now.toISOString() } } : fanOut
}

/** When the time of the comparison is over; undefined before it began. */
export function endOfTest({ test, fanOut }: Campaign): Date | undefined {
  const since = fanOut?.test?.since
  return test && since !== undefined ? new Date(Date.parse(since) + test.hours * HOUR_MS) : undefined
}

/**
 * The campaign once it has a winner: the audience is gone through again, and everybody who is not in the test gets the
 * winner. Throws EngineError `CONFLICT` unless the winner is waited for, also of a campaign that was cancelled.
 */
export function withWinner(
  campaign: Campaign,
  winner: VariantName,
  chosenBy: NonNullable<TestProgress['chosenBy']>,
  now: Date,
): Campaign {
  const { fanOut } = campaign
  const contentId = fanOut?.test?.contents[VARIANTS.indexOf(winner)]
  if (fanOut?.phase !== 'waiting' || fanOut.test === undefined) throw notWaiting(campaign)
  // one that was cancelled while it waited keeps its phase, but its rest gets nothing
  requireStatus(campaign, 'be given a winner')
  if (contentId === undefined) throw new EngineError('BAD_REQUEST', `The campaign has no variant ${winner}.`)
  const test = { ...fanOut.test, winner, chosenBy, chosenAt: now.toISOString() }
  // to the plan of the campaign, the comparison was a pause
  const since = new Date(fanOut.test.since ?? now)
  const plan = campaign.plan ? { plan: planAfterPause(campaign.plan, since, now) } : {}
  return { ...campaign, ...plan, contentId, fanOut: { ...fanOut, phase: 'rest', test }, updatedAt: now }
}

function notWaiting({ name, fanOut, test, variants }: Campaign): EngineError {
  const winner = fanOut?.test?.winner
  const why = !test
    ? 'has no test'
    : !variants
      ? 'has no other variants'
      : !fanOut
        ? 'was not sent yet'
        : winner !== undefined
          ? `already has its winner, ${winner}`
          : fanOut.done || fanOut.test?.whole
            ? 'sends its variants to the whole audience: there is no rest for a winner to go to'
            : 'is still writing the mails of its test'
  return new EngineError('CONFLICT', `The campaign "${name}" ${why}.`, {
    suggestion: 'A winner is chosen while the campaign waits for one: `testing.phase` is then `waiting`.',
  })
}

/** Why a campaign that is SENDING sends nothing; undefined when it does. */
export function reasonToWait(campaign: Campaign): string | undefined {
  const { status, test, fanOut } = campaign
  if (status !== 'SENDING' || fanOut?.phase !== 'waiting') return undefined
  if (fanOut.test?.unclear) return 'Its test is over and does not show which variant is better: choose the winner.'
  if (test?.winner !== 'automatic')
    return 'Its variants are being compared: the rest of its audience waits for the winner that you choose.'
  const end = endOfTest(campaign)
  return `Its variants are being compared until ${end?.toISOString()}: the rest of its audience waits for the winner.`
}
