import { domainToASCII } from 'node:url'
import type { DnsRecord, SenderIdentity } from '../ports/sender-identity.ts'
import { findingKey } from '../ports/sender-identity.ts'
import type { DomainKey, DomainStatus, SenderDomain, StoredFinding, StsPolicy } from '../ports/store/domains.ts'
import type { Project } from '../ports/store/projects.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { type AdviceCode, advised, codesOf, type Sentence } from '../values/advice.ts'
import { dnsAdvice } from './dns-advice.ts'
import { type RecordPurpose, wantedRecords } from './wanted-records.ts'

/** How many days a replaced key stays published: mail that it signed may still be on its way. */
const RETIRED_DAYS = 7
const DAY_MS = 86_400_000

/** A domain as the API shows it. */
export interface DomainDetail
  extends Pick<SenderDomain, 'id' | 'projectId' | 'domain' | 'status' | 'createdAt' | 'updatedAt'> {
  /** Whether mail may be sent from it: its records are there, or the operator vouches for it. */
  readonly verified: boolean
  /** The host of links in its mail once the record is seen; absent: the public URL's. */
  readonly linkHost?: string
  /** Its MTA-STS policy; absent: none is served here. */
  readonly mtaSts?: StsPolicy
  /** The records to publish, each with what was found. */
  readonly records: readonly DomainRecord[]
  /** When its records were last looked up; null: never. */
  readonly lastCheckedAt: Date | null
}

/** A DNS record to publish, and what was found in its place. */
export interface DomainRecord extends DnsRecord {
  /** Its purpose. */
  readonly purpose: RecordPurpose
  /** Without it the domain is not verified. */
  readonly required: boolean
  /** PENDING: not seen so far. FAILED: something is there that must be changed. */
  readonly status: DomainStatus
  /** The last finding and what to change. */
  readonly advice: string
  /** The sentences of `advice`; empty when some of them has none. */
  readonly adviceCodes: readonly AdviceCode[]
}

/** The domain of this project with its records: those of its keys, newest first, then the recommended ones. */
export function domainDetail(
  row: SenderDomain,
  { trustedDomains }: Pick<Project, 'trustedDomains'>,
  identity: SenderIdentity,
  values: EngineValues,
): DomainDetail {
  const { id, projectId, domain, status, link, sts, lastCheckedAt, createdAt, updatedAt } = row
  const ascii = domainToASCII(domain)
  const ofKeys = row.keys
    .toReversed()
    .flatMap((key) => identity.records(ascii, key).map((record) => shown(row, { purpose: 'dkim', ...record }, key)))
  const others = wantedRecords(ascii, values, row).map((record) => shown(row, record))
  const records = [...ofKeys, ...others]
  const verified = status === 'VERIFIED' || (trustedDomains.includes(domain) && !isUnreadable(row))
  return {
    id,
    projectId,
    domain,
    verified,
    status,
    ...(link && { linkHost: link.host }),
    ...(sts && { mtaSts: sts }),
    records,
    lastCheckedAt: lastCheckedAt ?? null,
    createdAt,
    updatedAt,
  }
}

/** Whether a key of the domain cannot be read, for which its mail waits. */
function isUnreadable({ findings }: SenderDomain): boolean {
  return Object.values(findings).some(({ adviceCodes = [] }) =>
    adviceCodes.some(({ code }) => code === 'key_unreadable'),
  )
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
  const roles = roleOf(row, key)
  const seen: Pick<StoredFinding, 'advice' | 'adviceCodes'> = finding ?? advised(dnsAdvice('not_looked_for'))
  const status = finding ? STATUSES[finding.state] : 'PENDING'
  return {
    type,
    name,
    value,
    purpose,
    required,
    status,
    advice: [...roles.map(({ text }) => text), seen.advice].join(' '),
    adviceCodes: seen.adviceCodes?.length ? [...codesOf(roles), ...seen.adviceCodes] : [],
  }
}

/** Describes the role of a key, when there are several. */
function roleOf({ keys }: SenderDomain, key: DomainKey | undefined): readonly Sentence[] {
  if (key === undefined || keys.length < 2) return []
  if (key.state === 'RETIRED') {
    return [dnsAdvice('key_before', { day: removableAt(key).toISOString().slice(0, 10) })]
  }
  return [dnsAdvice(key.state === 'ACTIVE' ? 'key_in_use' : 'key_new')]
}

const STATUSES = { found: 'VERIFIED', missing: 'PENDING', wrong: 'FAILED' } as const
