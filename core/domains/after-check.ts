import type { DomainKey, DomainStatus, SenderDomain, StoredFinding } from '../ports/store/domains.ts'
import { removableAt } from './domain-record.ts'
import { type LinkSeen, linkAfter } from './link-host.ts'
import { countsAsMissed } from './missed.ts'

/** A verified domain loses its status when its key was missing in this many checks in a row. */
const MAX_FAILURES = 3

/** The result of a check. */
export interface CheckResult {
  /** For each key, by selector: whether its records are there. */
  readonly proofs: ReadonlyMap<string, 'found' | 'absent' | 'unknown'>
  /** Selectors of keys whose private half cannot be decrypted. */
  readonly unreadable: ReadonlySet<string>
  readonly findings: Readonly<Record<string, StoredFinding>>
  readonly link: LinkSeen | undefined
}

/**
 * Computes the domain after a check. A new key that was seen replaces the one before. A look-up without an answer
 * changes nothing, nor does a miss soon after one that counted. A key whose private half cannot be decrypted proves
 * nothing, from this check on.
 */
export function afterCheck(
  before: SenderDomain,
  { proofs, unreadable, findings, link: seen }: CheckResult,
  now: Date,
): SenderDomain {
  const proves = (key: DomainKey) => proofs.get(key.selector) === 'found' && !unreadable.has(key.selector)
  const next = before.keys.find((key) => key.state === 'PENDING' && proves(key))
  const moved = next ? before.keys.map((key) => afterRotation(key, next, now)) : before.keys
  const keys = moved.filter((key) => key.state !== 'RETIRED' || removableAt(key) > now)
  const active = keys.find((key) => key.state === 'ACTIVE')
  const link = linkAfter(before.link, seen, now)
  const looked = { ...before, ...(link && { link }), keys, findings, lastCheckedAt: now, updatedAt: now }
  if (active === undefined) return looked
  if (proves(active)) return { ...looked, status: 'VERIFIED', failures: 0, provenAt: now }
  if (unreadable.has(active.selector)) return { ...looked, status: 'FAILED' }
  if (proofs.get(active.selector) !== 'absent') return looked
  if (!countsAsMissed(before.failures, active.missedAt, now)) return looked
  const missed = keys.map((key) => (key === active ? { ...key, missedAt: now.toISOString() } : key))
  const failures = before.failures + 1
  const status: DomainStatus = failures >= MAX_FAILURES ? 'FAILED' : before.status
  return { ...looked, keys: missed, failures, status }
}

/** The private half of a retired key is deleted. */
function afterRotation(key: DomainKey, next: DomainKey, now: Date): DomainKey {
  if (key.selector === next.selector) return { ...key, state: 'ACTIVE' }
  if (key.state !== 'ACTIVE') return key
  const { sealed, ...rest } = key
  return { ...rest, state: 'RETIRED', retiredAt: now.toISOString() }
}
