import { getDomain } from 'tldts'
import { refusalMeaning } from '../bounces/refusal-meaning.ts'
import type { Arrival, DomainTest } from '../ports/store/domain-tests.ts'
import type { Email } from '../ports/store/emails.ts'
import { type AdviceCode, advised, codesOf, type Sentence } from '../values/advice.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import { isOwnNetwork } from '../values/ip-address.ts'
import type { DomainRecord } from './domain-record.ts'
import { testAdvice as say } from './test-advice.ts'

/** A test mail that has not arrived after this time counts as lost. */
const ARRIVAL_TIMEOUT_MS = 300_000
/** Gmail truncates larger messages when it shows them. */
const GMAIL_CLIP_BYTES = 102_400
const MAX_SEEN_LENGTH = 500

/** One line of a test's result. */
interface TestCheck {
  readonly name: string
  /** null: unknown. */
  readonly ok: boolean | null
  /** The finding. */
  readonly seen: string
  /** The sentences of `seen`; empty where it is no sentence of ours. */
  readonly seenCodes: readonly AdviceCode[]
  /** The next thing to do; empty when there is nothing. */
  readonly advice: string
  /** The sentences of `advice`. */
  readonly adviceCodes: readonly AdviceCode[]
}

/** The result of a test so far. */
export interface DomainTestResult {
  /** `done`: nothing more will come. */
  readonly state: 'waiting' | 'done'
  /** The checks, each with its result. */
  readonly checks: readonly TestCheck[]
}

/** The facts a test is judged by. */
export interface TestFacts {
  readonly test: DomainTest
  readonly email: Email
  readonly records: readonly DomainRecord[]
  /** In ASCII. */
  readonly domain: string
  readonly now: Date
}

/** Judges, line by line, how a test went. Pure. */
export function testResult(facts: TestFacts): DomainTestResult {
  const { test, email, records, now } = facts
  const isLate = now.getTime() - test.createdAt.getTime() >= ARRIVAL_TIMEOUT_MS
  const hasEnded = email.status !== 'QUEUED' && email.status !== 'SENDING'
  const isLost = hasEnded && !HANDED_OVER.has(email.status)
  const isDone = isLate || isLost || (test.isOurs ? test.arrival !== undefined : hasEnded)
  const arrived = test.isOurs && (isDone || test.arrival) ? arrival(test, isLost) : []
  return {
    state: isDone ? 'done' : 'waiting',
    checks: [
      sent(email, isLate),
      ...arrived,
      ...(test.arrival ? asArrived(test, test.arrival, facts.domain) : []),
    ].concat(records.map(published)),
  }
}

/** Statuses of mail that the transport has accepted. */
const HANDED_OVER: ReadonlySet<string> = new Set(['SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED'])

/** `seen` is a sentence, or words of others. */
function check(name: string, ok: boolean | null, seen: Sentence | string, ...advice: readonly Sentence[]): TestCheck {
  const [text, seenCodes] = typeof seen === 'string' ? [seen, []] : [seen.text, codesOf([seen])]
  return { name, ok, seen: text.slice(0, MAX_SEEN_LENGTH), seenCodes, ...advised(...(ok === true ? [] : advice)) }
}

function sent({ status, error, transport = '', skipReason }: Email, isLate: boolean): TestCheck {
  if (HANDED_OVER.has(status)) return check('sent', true, say('test_taken', { transport }))
  const why = error ?? skipReason
  if (status === 'QUEUED' || status === 'SENDING') {
    if (!why) return check('sent', isLate ? false : null, say('test_not_sent_yet'), say('test_waits'))
    const meaning = refusalMeaning(why, true)
    return check('sent', isLate ? false : null, why, ...(meaning.length > 0 ? meaning : [say('test_tried_again')]))
  }
  if (skipReason) return check('sent', false, why ?? status, say('test_suppressed'))
  const meaning = refusalMeaning(why ?? '')
  return check('sent', false, why ?? status, ...(meaning.length > 0 ? meaning : [say('test_see_server')]))
}

function arrival({ arrival: found, to }: DomainTest, isLost: boolean): readonly TestCheck[] {
  if (found) return [check('arrived', true, say('test_arrived', { time: found.at, address: found.remoteAddress }))]
  const advice = isLost ? say('test_never_handed_over') : say('test_lost', { host: domainOf(to) })
  return [check('arrived', false, say('test_nothing_arrived'), advice)]
}

function asArrived({ isMarketing }: DomainTest, found: Arrival, domain: string): readonly TestCheck[] {
  return [
    ...[spf(found, domain), dkim(found, domain), dmarc(found), tls(found), reverse(found)],
    ...[unsubscribe(found, isMarketing), size(found)],
  ]
}

/** Relaxed alignment (RFC 9989, section 4.5): both belong to one organisation. */
function isAligned(one: string, other: string): boolean {
  return one === other || (getDomain(one) !== null && getDomain(one) === getDomain(other))
}

function spf({ spf: result, sender, remoteAddress: address }: Arrival, domain: string): TestCheck {
  const path = domainOf(asciiAddress(sender))
  const seen = say('test_spf_seen', { result, domain: path, address })
  if (result !== 'pass' && isOwnNetwork(address)) return check('spf', null, seen, say('test_elsewhere'))
  if (result !== 'pass') {
    return check('spf', isUnclear(result) ? null : false, seen, say('test_spf_fails', { domain: path, address }))
  }
  return check('spf', isAligned(path, domain), seen, say('test_spf_unaligned', { path, domain }))
}

function dkim({ dkim: result, signedBy }: Arrival, domain: string): TestCheck {
  if (result === 'none') return check('dkim', false, result, say('test_dkim_none', { domain }))
  if (result !== 'pass') return check('dkim', isUnclear(result) ? null : false, result, say('test_dkim_fails'))
  const isOurs = signedBy.some((each) => isAligned(each, domain))
  const seen = say('test_dkim_seen', { domains: signedBy.join(', ') })
  return check('dkim', isOurs, seen, say('test_dkim_unaligned', { domain }))
}

function dmarc({ dmarc: result }: Arrival): TestCheck {
  const advice = say(result === 'none' ? 'test_dmarc_none' : 'test_dmarc_fails')
  return check('dmarc', result === 'pass' ? true : isUnclear(result) ? null : false, result, advice)
}

function tls({ tls: isEncrypted }: Arrival): TestCheck {
  return check('tls', isEncrypted, say(isEncrypted ? 'test_encrypted' : 'test_clear_text'), say('test_use_tls'))
}

function reverse({ remoteAddress: address, names, leadsBack }: Arrival): TestCheck {
  const name = 'reverse dns'
  if (names === undefined) return check(name, null, say('test_reverse_unknown', { address }), say('test_reverse_again'))
  const [first] = names
  const seen = first === undefined ? say('test_reverse_none', { address }) : `${address}: ${names.join(', ')}`
  if (leadsBack) return check(name, true, seen)
  // only a recipient outside sees what is looked for here
  if (isOwnNetwork(address)) return check(name, null, seen, say('test_elsewhere'))
  if (first === undefined) return check(name, false, seen, say('test_reverse_publish', { address }))
  return check(name, false, seen, say('test_reverse_leads_elsewhere', { name: first, address }))
}

function unsubscribe({ listUnsubscribe, listUnsubscribePost }: Arrival, isMarketing: boolean): TestCheck {
  const fields = [listUnsubscribe, listUnsubscribePost].filter(Boolean).join(' | ')
  const seen = fields || say('test_unsubscribe_none')
  if (!isMarketing || listUnsubscribe === '') return check('unsubscribe', false, seen, say('test_unsubscribe_missing'))
  const isOneClick = /<https:/i.test(listUnsubscribe) && listUnsubscribePost === 'List-Unsubscribe=One-Click'
  return check('unsubscribe', isOneClick, seen, say('test_unsubscribe_one_click'))
}

function size({ size: octets }: Arrival): TestCheck {
  return check('size', octets < GMAIL_CLIP_BYTES, say('test_size', { octets }), say('test_too_large'))
}

function published({ purpose, type, name, status, advice, adviceCodes }: DomainRecord): TestCheck {
  const ok = status === 'VERIFIED' ? true : status === 'FAILED' ? false : null
  const line = check(`record: ${purpose}`, ok, say(RECORD_SEEN[status], { type, name }))
  return ok === true ? line : { ...line, advice, adviceCodes }
}

const RECORD_SEEN = {
  VERIFIED: 'test_record_verified',
  PENDING: 'test_record_pending',
  FAILED: 'test_record_failed',
} as const

function isUnclear(result: string): boolean {
  return result === 'temperror'
}
