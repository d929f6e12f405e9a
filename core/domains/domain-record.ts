import { domainToASCII } from 'node:url'
import type { DnsRecord, SenderIdentity } from '../ports/sender-identity.ts'
import { findingKey } from '../ports/sender-identity.ts'
import type { DomainKey, DomainStatus, SenderDomain } from '../ports/store/domains.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { type RecordPurpose, wantedRecords } from './wanted-records.ts'

/** How many days a replaced key stays published: mail that it signed may still be on its way. */
const RETIRED_DAYS = 7
const DAY_MS = 86_400_000

/** A domain as the API shows it. */
export interface DomainDetail
  extends Pick<SenderDomain, 'id' | 'projectId' | 'domain' | 'status' | 'createdAt' | 'updatedAt'> {
  readonly verified: boolean
  /** The host of links in its mail once the record is seen; absent: the public URL's. */
  readonly linkHost?: string
  readonly records: readonly DomainRecord[]
  readonly lastCheckedAt: Date | null
}

/** A DNS record to publish, and what was found in its place. */
export interface DomainRecord extends DnsRecord {
  readonly purpose: RecordPurpose
  /** Without it the domain is not verified. */
  readonly required: boolean
  /** PENDING: not seen so far. FAILED: something is there that must be changed. */
  readonly status: DomainStatus
  /** The last finding and what to change. */
  readonly advice: string
}

/** The domain with its records: those of its keys, newest first, then the recommended ones. */
export function domainDetail(row: SenderDomain, identity: SenderIdentity, values: EngineValues): DomainDetail {
  const { id, projectId, domain, status, link, lastCheckedAt, createdAt, updatedAt } = row
  const ascii = domainToASCII(domain)
  const ofKeys = row.keys
    .toReversed()
    .flatMap((key) => identity.records(ascii, key).map((record) => shown(row, { purpose: 'dkim', ...record }, key)))
  const others = wantedRecords(ascii, values, row).map((record) => shown(row, record))
  const records = [...ofKeys, ...others]
  const verified = status === 'VERIFIED'
  return {
    id,
    projectId,
    domain,
    verified,
    status,
    ...(link && { linkHost: link.host }),
    records,
    lastCheckedAt: lastCheckedAt ?? null,
    createdAt,
    updatedAt,
  }
}

/** When the record of a retired key may be removed. */
export function removableAt({ retiredAt = '' }: DomainKey): Date {
  return new Date(Date.parse(retiredAt) + RETIRED_DAYS * DAY_MS)
}

function shown(
  row: SenderDomain,
  { type, name, value, purpose }: DnsRecord & Pick<DomainRecord, 'purpose'>,
  key?: DomainKey,
): DomainRecord {
  const finding = row.findings[findingKey({ type, name, value })]
  const required = key !== undefined && key.state !== 'RETIRED'
  const seen = finding?.advice ?? 'It was not looked for yet: publish it, then ask for a check.'
  const advice = [...roleOf(row, key), seen].join(' ')
  return { type, name, value, purpose, required, status: finding ? STATUSES[finding.state] : 'PENDING', advice }
}

/** Describes the role of a key, when there are several. */
function roleOf({ keys }: SenderDomain, key: DomainKey | undefined): readonly string[] {
  if (key === undefined || keys.length < 2) return []
  if (key.state === 'RETIRED') {
    return [`The key before: its record may be removed after ${removableAt(key).toISOString().slice(0, 10)}.`]
  }
  return [key.state === 'ACTIVE' ? 'The key in use.' : 'The new key: it signs as soon as its record is seen.']
}

const STATUSES = { found: 'VERIFIED', missing: 'PENDING', wrong: 'FAILED' } as const
