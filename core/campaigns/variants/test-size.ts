import type { Shares } from './test-part.ts'

/** Above so many mails a test is large enough that no variant goes without one. */
export const SURELY_ENOUGH = 500

/** Whether the share of so many recipients is less than one for each variant, so that the test could show nothing. */
export function isTooSmall({ share, holdOut, variants }: Shares, recipients: number): boolean {
  const taking = Math.floor((recipients * (100 - holdOut) * share) / 10_000)
  return share < 100 && taking < variants
}
