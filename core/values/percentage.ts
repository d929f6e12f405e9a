/** A part in percent, with at most two decimals and at most 100; 0 when the whole is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 10_000) / 100)
}
