/** How many of a hundred a part is, with at most two decimals and no more than 100; of nothing 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 10_000) / 100)
}
