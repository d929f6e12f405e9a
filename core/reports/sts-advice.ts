import type { DomainReport } from '../ports/store/domain-reports.ts'
import type { StsPolicy } from '../ports/store/domains.ts'
import { type Sentence, type SentencesOf, sentencesOf } from '../values/advice.ts'

/** The advice about the MTA-STS policy of a domain. A text may change, what its code means may not: others translate it. */
export const STS_ADVICE = {
  sts_none:
    'There is no MTA-STS policy here. Begin with the mode testing: reports then say whether servers could connect to the mail exchangers with a valid certificate, and no mail is held back.',
  sts_off: 'The MTA-STS policy is taken back (mode none).',
  sts_not_in_place: 'The MTA-STS policy counts once its records are found.',
  sts_wait:
    'Stay with testing for now: {days} of 7 days have TLS reports that judge this policy, and they count {sessions} of 20 connections.',
  sts_fix_first:
    '{failed} connections failed in the last 14 days: mend the certificates of {hosts} before you enforce the policy, or mail will not arrive.',
  sts_to_enforce: 'All {sessions} connections of the last 14 days had a valid certificate: the policy may be enforced.',
  sts_failing:
    '{failed} connections failed in the last 14 days, and mail that came by them was held back: go back to testing, and mend the certificates of {hosts}.',
  sts_at_enforce: 'The policy is enforced, and no connection failed in the last 14 days: there is nothing to do.',
} as const

const stsAdvice: SentencesOf<typeof STS_ADVICE> = sentencesOf(STS_ADVICE)

/** Over how many days TLS reports are judged. */
export const STS_DAYS = 14
/** From how many days and connections on there is something to say. */
const ENOUGH = { days: 7, sessions: 20 }
const DAY_MS = 86_400_000
const MAX_HOSTS = 3

/** The facts that the advice rests on. */
export interface JudgedSts {
  readonly domain: string
  readonly policy: StsPolicy | undefined
  /** Whether its records are found, and it covers the mail exchangers. */
  readonly isInPlace: boolean
  /** The TLS reports of the last days. */
  readonly reports: readonly DomainReport[]
}

/**
 * Says whether an MTA-STS policy may be enforced. Any failed connection speaks against it, and only those that were judged by
 * the policy speak for it: without one, servers do not look at the certificate.
 */
export function judgeStsReports({ domain, policy, isInPlace, reports }: JudgedSts): Sentence {
  if (policy === undefined) return stsAdvice('sts_none')
  if (policy.mode === 'none') return stsAdvice('sts_off')
  const failed = reports.reduce((sum, { messages, passed }) => sum + messages - passed, 0)
  const isEnforced = policy.mode === 'enforce'
  if (failed > 0) {
    const named = reports.flatMap(({ failures = [] }) => failures.map(({ host }) => host))
    const hosts = [...new Set(named.filter((host) => host !== ''))].slice(0, MAX_HOSTS).join(', ') || domain
    return stsAdvice(isEnforced ? 'sts_failing' : 'sts_fix_first', { failed, hosts })
  }
  if (!isInPlace) return stsAdvice('sts_not_in_place')
  if (isEnforced) return stsAdvice('sts_at_enforce')
  const judging = reports.filter(({ stsSessions = 0 }) => stsSessions > 0)
  const days = new Set(judging.map(({ begin }) => Math.floor(begin.getTime() / DAY_MS))).size
  const sessions = judging.reduce((sum, { stsSessions = 0 }) => sum + stsSessions, 0)
  const isEnough = days >= ENOUGH.days && sessions >= ENOUGH.sessions
  return isEnough ? stsAdvice('sts_to_enforce', { sessions }) : stsAdvice('sts_wait', { days, sessions })
}
