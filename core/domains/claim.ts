import type { SenderDomain } from '../ports/store/domains.ts'

const HOUR_MS = 3_600_000

/** True while a domain belongs to its project alone: while proven, or within `claimHours` of being added or proven. */
export function isClaimed({ status, provenAt, createdAt }: SenderDomain, claimHours: number, now: Date): boolean {
  const since = Math.max(provenAt?.getTime() ?? 0, createdAt.getTime())
  return status === 'VERIFIED' || since + claimHours * HOUR_MS > now.getTime()
}
