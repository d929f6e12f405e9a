import type { SenderDomain } from '../ports/store/domains.ts'

const HOUR_MS = 3_600_000

/** True while a domain is its project's alone: proven, or for so many hours after it was added or last proven. */
export function isClaimed({ status, provenAt, createdAt }: SenderDomain, claimHours: number, now: Date): boolean {
  const since = Math.max(provenAt?.getTime() ?? 0, createdAt.getTime())
  return status === 'VERIFIED' || since + claimHours * HOUR_MS > now.getTime()
}
