import type { SenderDomain } from '../ports/store/domains.ts'

/** For how long an unproven domain is reserved for its project: time to ask the keeper of its DNS, over a weekend. */
const CLAIM_MS = 72 * 3_600_000

/** True while a domain belongs to its project alone: while proven, or within 72 hours of being added or proven. */
export function isClaimed({ status, provenAt, createdAt }: SenderDomain, now: Date): boolean {
  const since = Math.max(provenAt?.getTime() ?? 0, createdAt.getTime())
  return status === 'VERIFIED' || since + CLAIM_MS > now.getTime()
}
