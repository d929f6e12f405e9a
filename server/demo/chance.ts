import { createHash } from 'node:crypto'

/**
 * Chances that depend on what they are about and not on the order of asking, since mails are sent side by side: the same
 * seed and words give the same number, from 0 to below 1.
 */
export class Chance {
  constructor(private readonly seed: number) {}

  of(...words: readonly (string | number)[]): number {
    const digest = createHash('sha256')
      .update(JSON.stringify([this.seed, ...words]))
      .digest()
    return digest.readUInt32BE(0) / 2 ** 32
  }

  /** One of these, of which there must be some. */
  pick<const T>(list: readonly T[], ...words: readonly (string | number)[]): T {
    const picked = list[Math.floor(this.of(...words) * list.length)]
    if (picked === undefined) throw new Error('there is nothing to pick')
    return picked
  }
}
