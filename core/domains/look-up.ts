import { domainToASCII } from 'node:url'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding, SenderIdentity } from '../ports/sender-identity.ts'
import { findingKey } from '../ports/sender-identity.ts'
import type { SenderDomain, StoredFinding } from '../ports/store/domains.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { type AdviceCode, advised } from '../values/advice.ts'
import { unlessAborted } from '../values/unless-aborted.ts'
import type { CheckResult } from './after-check.ts'
import { dnsAdvice } from './dns-advice.ts'
import { freshDns } from './fresh-dns.ts'
import type { LinkSeen } from './link-host.ts'
import { wantedRecords } from './wanted-records.ts'

/** When the check of a domain with slow name servers is given up until the next one. */
const TIMEOUT_MS = 15_000
/** Longer advice would not be read. */
const MAX_ADVICE_LENGTH = 2_000

/**
 * Looks up every record of a domain, all at the same time. A record the DNS did not answer in time keeps its last
 * result, and the advice says so. Rejects only when the signal is aborted.
 */
export async function lookUp(
  row: SenderDomain,
  { identity, dns, values }: { identity: SenderIdentity; dns: DnsResolver; values: EngineValues },
  signal: AbortSignal,
): Promise<Omit<CheckResult, 'unreadable'>> {
  const domain = domainToASCII(row.domain)
  const fresh = freshDns(dns, domain)
  const findings: Record<string, StoredFinding> = {}
  const note = (record: Parameters<typeof findingKey>[0], finding: Finding) => {
    const key = findingKey(record)
    findings[key] = kept(finding, row.findings[key])
  }
  const proofs = new Map<string, 'found' | 'absent' | 'unknown'>()
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const ofKeys = row.keys.map(async (key) => {
    const records = identity.records(domain, key)
    const found = await unlessAborted(deadline, identity.check(domain, key, fresh), tooSlow).catch((error) =>
      records.map(() => unknown(error)),
    )
    for (const [i, record] of records.entries()) note(record, found[i] ?? unknown('no answer'))
    proofs.set(key.selector, summary(found))
  })
  let link: LinkSeen | undefined
  const others = wantedRecords(domain, values, row).map(async (record) => {
    const finding = await unlessAborted(deadline, record.judge(fresh), tooSlow).catch(unknown)
    note(record, finding)
    if (record.purpose !== 'link' || row.link === undefined) return
    link = { host: row.link.host, isThere: finding.state === 'unknown' ? undefined : finding.state === 'found' }
  })
  await Promise.all([...ofKeys, ...others])
  signal.throwIfAborted()
  return { proofs, findings, link }
}

function summary(found: readonly Finding[]): 'found' | 'absent' | 'unknown' {
  if (found.some(({ state }) => state === 'missing' || state === 'wrong')) return 'absent'
  return found.length > 0 && found.every(({ state }) => state === 'found') ? 'found' : 'unknown'
}

/** A look-up without an answer keeps the last state. */
function kept({ state, advice, adviceCodes }: Finding, before: StoredFinding | undefined): StoredFinding {
  const codes = adviceCodes?.map(({ code, params }) => ({ code, params: legibleValues(params) }))
  return {
    state: state === 'unknown' ? (before?.state ?? 'missing') : state,
    advice: legible(advice),
    ...(codes === undefined ? {} : { adviceCodes: codes }),
  }
}

const tooSlow = new Error('too slow')

function legibleValues(params: AdviceCode['params']): AdviceCode['params'] {
  const values = Object.entries(params)
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === 'string' ? legible(value) : value]))
}

/** Makes advice readable and fit for every store: it quotes records, which may hold 64 KB of any octets. */
function legible(advice: string): string {
  const text = advice.replace(/\p{Cc}/gu, '?')
  return (text.length > MAX_ADVICE_LENGTH ? `${text.slice(0, MAX_ADVICE_LENGTH)}…` : text).toWellFormed()
}

function unknown(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  return { state: 'unknown', ...advised(dnsAdvice('no_answer', { reason })) }
}
