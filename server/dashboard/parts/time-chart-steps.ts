const HOURS = [1, 2, 3, 6, 12, 24]
const DAYS = [1, 2, 7, 14, 28, 56, 112, 224]

/** How many hours or days are between two words below a chart, when fewer than so many would not fit. */
export function stepBelow(least: number, hours: boolean): number {
  const steps = hours ? HOURS : DAYS
  return steps.find((step) => step >= least) ?? steps.at(-1) ?? 1
}

/** How much is between two lines across a chart: a whole number that is easily read, such as 1, 2, 5, 10 or 20, and not less than this. */
export function stepOver(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return [1, 2, 5, 10].map((each) => each * power).find((step) => step >= least) ?? power
}
