/** How many of how many did something. */
export interface Proportion {
  readonly count: number
  readonly of: number
}

/** The level of confidence of all figures: 95 %. */
export const ALPHA = 0.05
/** The quantile of the normal distribution that belongs to it, two-sided. */
const Z = 1.959963984540054
/** Below this many expected in a cell, the normal distribution is no longer near enough. */
const LEAST_EXPECTED = 5

/**
 * How probable it is that two groups differ at least this much by chance alone: the two-sided test of two proportions with
 * a pooled variance, which is the chi-squared test of the table of four. Undefined when there is too little for it: less
 * than five expected in a cell.
 */
export function chanceOfDifference(a: Proportion, b: Proportion): number | undefined {
  const pooled = (a.count + b.count) / (a.of + b.of)
  const least = Math.min(pooled, 1 - pooled) * Math.min(a.of, b.of)
  if (!(least >= LEAST_EXPECTED)) return undefined
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / a.of + 1 / b.of))
  const z = Math.abs(a.count / a.of - b.count / b.of) / deviation
  return erfc(z / Math.SQRT2)
}

/**
 * The same chances when several were computed at once: Holm's correction, with which the chance that any of them is wrong
 * stays at that of a single one. Answers them in the order of the given ones.
 */
export function holm(chances: readonly number[]): readonly number[] {
  const corrected = chances.map(() => 1)
  const order = chances.map((chance, place) => ({ chance, place })).sort((a, b) => a.chance - b.chance)
  let highest = 0
  for (const [rank, { chance, place }] of order.entries()) {
    highest = Math.max(highest, Math.min(1, chance * (chances.length - rank)))
    corrected[place] = highest
  }
  return corrected
}

/** Between which shares the true one lies, with a confidence of 95 %: Wilson's interval, which holds for few, too. */
export function interval({ count, of }: Proportion): readonly [low: number, high: number] {
  if (of <= 0) return [0, 1]
  const share = count / of
  const scale = 1 + Z ** 2 / of
  const middle = (share + Z ** 2 / (2 * of)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** The complementary error function of a number that is not negative, to about twelve digits. */
export function erfc(x: number): number {
  return x < 2 ? 1 - erfSeries(x) : erfcFraction(x)
}

/** Abramowitz and Stegun 7.1.6, whose terms are all positive. */
function erfSeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; term > 1e-17 * sum; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/** Abramowitz and Stegun 7.1.14, from the end of the fraction. */
function erfcFraction(x: number): number {
  let fraction = x
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction)
}
