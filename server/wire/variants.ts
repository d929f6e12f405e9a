import { endOfTest } from '../../core/campaigns/variants/test-progress.ts'
import { type Campaign, VARIANTS } from '../../core/ports/store/campaigns.ts'

/** The campaign's other variants with their names; undefined when it has none. */
export function variantsOnWire({ variants }: Campaign) {
  return variants?.map((variant, place) => ({ variant: VARIANTS[place + 1] ?? VARIANTS[0], ...variant }))
}

/** How far its test is; undefined before it begins. */
export function testingOnWire(campaign: Campaign) {
  const { phase, test } = campaign.fanOut ?? {}
  if (phase === undefined || test === undefined) return undefined
  const { unclear = false, whole = false, winner = null, chosenBy = null, chosenAt } = test
  const endsAt = endOfTest(campaign) ?? null
  const at = chosenAt === undefined ? null : new Date(chosenAt)
  return { phase, endsAt, unclear, whole, winner, chosenBy, chosenAt: at }
}
