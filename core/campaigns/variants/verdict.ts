import type { VariantName } from '../../ports/store/campaigns.ts'
import { ALPHA, chanceOfDifference, holm, type Proportion } from './two-proportions.ts'

/** A variant in the test: how many of those it was sent to did what is measured. */
export interface Contestant extends Proportion {
  readonly variant: VariantName
}

/** The verdict of a test's figures. */
export interface Verdict {
  /** The highest rate so far; undefined while nothing was measured, or when several have it. */
  readonly best: VariantName | undefined
  /** Whether the best is better than each of the others, by more than chance explains. */
  readonly isClear: boolean
  /**
   * For each of the others, how probable such a distance from the best is by chance alone, corrected for all pairs;
   * undefined where there are too few figures to tell.
   */
  readonly chances: ReadonlyMap<VariantName, number | undefined>
}

/**
 * Judges a test. The best is found by looking, so the correction counts all pairs of variants and not only those with the
 * best: else the more variants there are, the more often chance would name one.
 */
export function verdictOf(contestants: readonly Contestant[]): Verdict {
  const [first, second] = contestants.filter(({ of }) => of > 0).toSorted((a, b) => rate(b) - rate(a))
  if (!first || first.count === 0 || (second && rate(second) === rate(first)))
    return { best: undefined, isClear: false, chances: new Map() }
  const pairs = contestants.flatMap((one, i) =>
    contestants.slice(i + 1).map((other) => ({ one, other, chance: chanceOfDifference(one, other) })),
  )
  const corrected = holm(pairs.map(({ chance }) => chance ?? 1))
  const chances = new Map<VariantName, number | undefined>()
  for (const [i, { one, other, chance }] of pairs.entries()) {
    const rival = one === first ? other : other === first ? one : undefined
    if (rival) chances.set(rival.variant, chance === undefined ? undefined : corrected[i])
  }
  const all = [...chances.values()]
  return { best: first.variant, isClear: all.length > 0 && all.every((chance) => (chance ?? 1) <= ALPHA), chances }
}

function rate({ count, of }: Proportion): number {
  return count / of
}
