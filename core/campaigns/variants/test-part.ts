import { createHash } from 'node:crypto'
import { type TestPart, VARIANTS, type VariantTest } from '../../ports/store/campaigns.ts'

/** The shares that decide which recipient is in which part of a test. */
export interface Shares extends Pick<VariantTest, 'share' | 'holdOut'> {
  /** How many variants there are, the campaign itself included. */
  readonly variants: number
}

/**
 * The part of a campaign's test that a contact belongs to. It follows from their ids alone, so that each process and each
 * repeat answers the same, and nothing is stored before the mail is. Each of the three questions has bits of the hash to
 * itself: who gets nothing says nothing about who takes part.
 */
export function testPart({ variants, share, holdOut }: Shares, campaignId: string, contactId: string): TestPart {
  const bits = createHash('sha256').update(`${campaignId} ${contactId}`).digest()
  const fraction = (place: number) => bits.readUInt32BE(4 * place) / 2 ** 32
  if (100 * fraction(0) < holdOut) return 'held-out'
  if (100 * fraction(1) >= share) return 'rest'
  return VARIANTS[Math.floor(variants * fraction(2))] ?? 'A'
}
