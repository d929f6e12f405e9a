import { getDomain } from 'tldts'
import { refusalMeaning } from '../bounces/refusal-meaning.ts'
import type { Arrival, DomainTest } from '../ports/store/domain-tests.ts'
import type { Email } from '../ports/store/emails.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import { isOwnNetwork } from '../values/ip-address.ts'
import type { DomainRecord } from './domain-record.ts'

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
  /** What to do; empty when there is nothing. */
  readonly advice: string
}

/** The result of a test so far. */
export interface DomainTestResult {
  /** `done`: nothing more will come. */
  readonly state: 'waiting' | 'done'
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

function check(name: string, ok: boolean | null, seen: string, advice = ''): TestCheck {
  return { name, ok, seen: seen.slice(0, MAX_SEEN_LENGTH), advice: ok === true ? '' : advice }
}

function sent({ status, error, transport, skipReason }: Email, isLate: boolean): TestCheck {
  if (HANDED_OVER.has(status)) return check('sent', true, `The transport ${transport ?? ''} took it.`)
  const why = error ?? skipReason
  if (status === 'QUEUED' || status === 'SENDING') {
    const advice = why ? (refusalMeaning(why, true) ?? 'It is tried again by itself.') : 'It waits for its turn.'
    return check('sent', isLate ? false : null, why ?? 'It was not sent yet.', advice)
  }
  const suppressed = skipReason && 'The address is on the suppression list: take it off, or name another one.'
  return check('sent', false, why ?? status, suppressed ?? refusalMeaning(why ?? '') ?? 'See to what the server said.')
}

function arrival({ arrival: found, to }: DomainTest, isLost: boolean): readonly TestCheck[] {
  const host = domainOf(to)
  if (found) return [check('arrived', true, `At ${found.at}, from ${found.remoteAddress}.`)]
  const advice = isLost
    ? 'It was never handed over: see what the line before says.'
    : `Nothing came to ${host} within five minutes. Look whether its MX record leads to this server, whether port 25 is open, and what the transport's relay did with the mail.`
  return [check('arrived', false, 'Nothing has arrived.', advice)]
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

function spf({ spf: result, sender, remoteAddress }: Arrival, domain: string): TestCheck {
  const path = domainOf(asciiAddress(sender))
  const seen = `${result} for ${path} from ${remoteAddress}`
  if (result !== 'pass' && isOwnNetwork(remoteAddress)) return check('spf', null, seen, TEST_ELSEWHERE)
  if (result !== 'pass') {
    const advice = `Let the SPF record of ${path} name the address mail leaves from (${remoteAddress}), or the relay it belongs to.`
    return check('spf', isUnclear(result) ? null : false, seen, advice)
  }
  const advice = `SPF passes, but for ${path}, which is another organisation than ${domain}: DMARC then rests on DKIM alone, and Microsoft wants both. Use a return path below ${domain} (feedback.returnPathHost).`
  return check('spf', isAligned(path, domain), seen, advice)
}

function dkim({ dkim: result, signedBy }: Arrival, domain: string): TestCheck {
  const aligned = signedBy.filter((each) => isAligned(each, domain))
  const seen = result === 'pass' ? `pass for ${signedBy.join(', ')}` : result
  if (result === 'none')
    return check('dkim', false, seen, `The mail is not signed: publish the key of ${domain}, and check the domain.`)
  if (result !== 'pass') {
    const advice =
      'The signature does not hold: the published key is another one, or something on the way changes the mail (a footer, a new encoding).'
    return check('dkim', isUnclear(result) ? null : false, seen, advice)
  }
  return check('dkim', aligned.length > 0, seen, `None of the signatures is of ${domain}: sign with its own key.`)
}

function dmarc({ dmarc: result }: Arrival): TestCheck {
  const advice =
    result === 'none'
      ? 'There is no DMARC policy: publish at least v=DMARC1; p=none.'
      : 'Neither SPF nor DKIM passes for the domain of From: see to the two lines before.'
  return check('dmarc', result === 'pass' ? true : isUnclear(result) ? null : false, result, advice)
}

function tls({ tls: isEncrypted }: Arrival): TestCheck {
  const advice =
    'The mail came unencrypted: let the last server before us use STARTTLS, and give this server a certificate (inbound options `tls`).'
  return check('tls', isEncrypted, isEncrypted ? 'It came encrypted.' : 'It came in clear text.', advice)
}

function reverse({ remoteAddress, names, leadsBack }: Arrival): TestCheck {
  if (names === undefined)
    return check('reverse dns', null, `${remoteAddress}: the DNS did not say.`, 'Test again later.')
  const seen = `${remoteAddress}: ${names.join(', ') || 'no name'}`
  if (leadsBack) return check('reverse dns', true, seen)
  if (isOwnNetwork(remoteAddress)) {
    return check('reverse dns', null, seen, TEST_ELSEWHERE)
  }
  const advice =
    names.length === 0
      ? `Set a PTR record for ${remoteAddress}: whoever gave you the address does it.`
      : `The name does not lead back: give ${names[0]} an A or AAAA record with ${remoteAddress}.`
  return check('reverse dns', false, seen, advice)
}

/** The advice where only an outside recipient can see the answer. */
const TEST_ELSEWHERE =
  'It came over a network of your own, so this cannot be told here: send a test to an address elsewhere, and look at the header of what arrives.'

function unsubscribe({ listUnsubscribe, listUnsubscribePost }: Arrival, isMarketing: boolean): TestCheck {
  const seen = [listUnsubscribe, listUnsubscribePost].filter(Boolean).join(' | ') || 'no List-Unsubscribe'
  if (!isMarketing || listUnsubscribe === '') {
    return check(
      'unsubscribe',
      false,
      seen,
      'Marketing mail has no way to unsubscribe: set server.publicUrl to an https address.',
    )
  }
  const isOneClick = /<https:/i.test(listUnsubscribe) && listUnsubscribePost === 'List-Unsubscribe=One-Click'
  return check('unsubscribe', isOneClick, seen, 'One click needs an https address: set server.publicUrl to one.')
}

function size({ size: octets }: Arrival): TestCheck {
  const advice = 'Gmail cuts off what is larger than 102 KB: something on the way made the mail much larger.'
  return check('size', octets < GMAIL_CLIP_BYTES, `${octets} octets`, advice)
}

function published({ purpose, type, name, status, advice }: DomainRecord): TestCheck {
  const ok = status === 'VERIFIED' ? true : status === 'FAILED' ? false : null
  return { name: `record: ${purpose}`, ok, seen: `${type} ${name}: ${status}`, advice: ok === true ? '' : advice }
}

function isUnclear(result: string): boolean {
  return result === 'temperror'
}
