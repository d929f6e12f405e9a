import type { Refusal, Refused } from '../ports/mail-transport.ts'
import { classOf } from './judge.ts'
import { LOGIN_REFUSED } from './kinds.ts'

/**
 * The meaning of a refusal for the mail.
 * - `later`: try again (4xx, connection trouble).
 * - `recipient`: there is no such address: a bounce, and the address is not mailed again.
 * - `unclear`: it failed, but the address may be good: a full mailbox, a server in trouble, or nothing that is clear. It
 *   is one of the soft bounces of which several in a row suppress.
 * - `sender`: it failed because of us, our network or the mail: that says nothing about the address.
 */
export type RefusalCause = 'later' | 'recipient' | 'unclear' | 'sender'

/** The meaning of an SMTP reply to a delivery: `judge.ts` has the rule, the same as for reports. */
export function causeOf(refusal: Refusal): RefusalCause {
  if (!refusal.permanent) return 'later'
  const judged = classOf(refusal)
  if (judged === 'permanent') return 'recipient'
  return judged === 'policy' ? 'sender' : 'unclear'
}

/** Whether no server spoke: the DNS, or the lack of a connection, decided about this recipient. */
export function isUnspoken({ stage, code, conversation }: Refused): boolean {
  return stage === 'rcpt' && code === undefined && conversation === undefined
}

/** The refusal as a sentence for the record. How our own relay is reached is left to the operator's log. */
export function sentence({ stage, noTls, noHop, code, enhancedCode, reason }: Refusal): string {
  const status = [code, enhancedCode].filter((part) => part !== undefined).join(' ')
  if (stage === 'connect') {
    if (noHop) return 'There is no mail server for this mail yet: it waits for one.'
    if (noTls) return 'The mail server could not be used: TLS failed.'
    // 525: our account is disabled (RFC 5248)
    if (code === 525 || LOGIN_REFUSED.has(code)) return 'The mail server refuses the login of this server.'
    if (code === undefined) return 'The mail server could not be reached.'
    // before its own words the reason may say which server it is
    const at = reason.indexOf(`: ${code} `)
    return `The mail server answered ${at < 0 ? status : reason.slice(at + 2)}`
  }
  return status === '' || reason.startsWith(status) ? reason : `${status} ${reason}`
}

/**
 * How surely a temporary refusal concerns the recipient's whole domain (RFC 5321, section 4.2; RFC 3463).
 * - `certain`: its server wants no more mail for now: 421 speaks of the service, X.3.2 of the system, X.4.5 of its load,
 *   X.7.28 of our flood of mail.
 * - `possible`: policy (X.7.X, where rate limits and unnamed greylisting look alike), the system, or no enhanced code at
 *   all; or the domain's servers, or its name servers, cannot be reached (X.4.1 to X.4.3, without a reply), or not as
 *   safely as it demands (X.7.5). One such refusal says little, several recipients in a row say much.
 * - undefined: it concerns one mailbox (X.1.X, X.2.X) or is greylisting by name, or it was no reply. Failures to connect to
 *   a relay and its refusals before the recipient was named are the transport's own.
 */
export function domainTrouble(refusal: Refusal): 'certain' | 'possible' | undefined {
  const { permanent, stage, code = 0, enhancedCode = '', reason } = refusal
  if (permanent || stage === 'connect' || stage === 'mail') return undefined
  if (code === 0 && OF_ITS_SERVERS.test(enhancedCode)) return 'possible'
  if (code < 400 || code >= 500) return undefined
  if (code === 421 || OF_THE_DOMAIN.test(enhancedCode)) return 'certain'
  return OF_A_MAILBOX.test(enhancedCode) || OF_ONE_MAIL.test(reason) ? undefined : 'possible'
}

/**
 * How surely a refusal concerns the next hop itself, the relay that all mail of a transport goes to.
 * - `certain`: it refused at the greeting, EHLO, STARTTLS or AUTH, or answered MAIL with 421: it takes nothing from us
 *   now.
 * - `possible`: there was no connection, or MAIL was put off for a reason of the system, the network or policy (X.3.X,
 *   X.4.X, X.7.X) that does not name the sender's address, which would concern one customer only.
 * - undefined: it concerns this mail only, or it is permanent.
 */
export function hopTrouble({ permanent, stage, code = 0, enhancedCode = '', reason }: Refusal) {
  if (permanent || (stage !== 'connect' && stage !== 'mail')) return undefined
  if (code === 421 || (stage === 'connect' && code >= 400)) return 'certain'
  if (stage === 'connect') return 'possible'
  return OF_THE_HOP.test(enhancedCode) && !SENDER_ADDRESS.test(reason) ? 'possible' : undefined
}

const OF_THE_HOP = /^4\.[347]\.\d+$/
const SENDER_ADDRESS =
  /\b(sender|from|return.?path) (address|domain)\b|\bsender\b.{0,40}\b(rejected|denied|verif)|<[^<>]*@/i
const OF_THE_DOMAIN = /^4\.(3\.2|4\.5|7\.28)$/
const OF_ITS_SERVERS = /^4\.(?:4\.[123]|7\.5)$/
const OF_A_MAILBOX = /^4\.[12]\.\d+$/
/** Greylisting by name, and full mailboxes without an enhanced code. */
const OF_ONE_MAIL = /\bgr[ae]y-?list|\b(?:mailbox|inbox|quota|storage)\b.{0,80}\b(?:full|exceed|over)|\bover ?quota\b/i
