import type { Refusal } from '../ports/mail-transport.ts'

/**
 * Whose fault a refusal is.
 * - `later`: nobody's; try again (4xx, connection trouble, a full mailbox).
 * - `recipient`: the address is no good: a bounce.
 * - `sender`: ours or our network's (policy, reputation, authentication, the message): no reason to suppress anybody.
 */
export type RefusalCause = 'later' | 'recipient' | 'sender'

/**
 * Judges a refusal by its stage, its codes (RFC 5321, RFC 3463) and the words of the reply. What speaks of the sender is
 * heard before what speaks of the recipient: a suspended account of ours must not suppress a whole list.
 */
export function causeOf(refusal: Refusal): RefusalCause {
  const { permanent, stage, code = 0, enhancedCode = '', reason } = refusal
  if (!permanent || isMailboxFull(refusal)) return 'later'
  if (stage === 'connect' || stage === 'mail') return 'sender'
  if (isProtocolError(code) || ABOUT_SENDER.test(enhancedCode) || SENDER.test(reason)) return 'sender'
  if (UNKNOWN_RECIPIENT.test(reason)) return 'recipient'
  return OURS_UNLESS_SAID.test(enhancedCode) || POLICY.test(reason) ? 'sender' : 'recipient'
}

/** For the record. How our own relay is reached is the operator's affair and stays in the log. */
export function sentence({ stage, code, enhancedCode, reason }: Refusal): string {
  if (stage === 'connect') return 'The mail server could not be reached.'
  const status = [code, enhancedCode].filter((part) => part !== undefined).join(' ')
  return status === '' || reason.startsWith(status) ? reason : `${status} ${reason}`
}

/** A full mailbox empties again, whatever the reply's class says (RFC 3463, X.2.2; 552 of RFC 5321). */
function isMailboxFull({ enhancedCode = '', code, reason }: Refusal): boolean {
  if (/^[45]\.2\.2$/.test(enhancedCode)) return true
  return (code === 552 || code === 452) && FULL.test(reason)
}

/** 500 to 504 say that the command was wrong, not the address (RFC 5321, section 4.2.2). */
function isProtocolError(code: number): boolean {
  return code >= 500 && code <= 504
}

const FULL = /\b(mailbox|inbox|quota|storage)\b.{0,80}\b(full|exceed|over)|\bover ?quota\b|\bquota exceeded\b/i

/** 5.1.7 and 5.1.8 name a bad sender, 5.2.3 and 5.3.4 a message too long, 5.6.X its content. */
const ABOUT_SENDER = /^5\.(1\.[78]|2\.3|3\.4|6\.\d+)$/

/** System, protocol and policy: about us unless the words name the recipient. */
const OURS_UNLESS_SAID = /^5\.[357]\.\d+$/

const SENDER =
  /\b(sender|sending|your (account|address|domain|ip|server|host|message|mail)|daily|size|too large|too big|virus|malware|infected|attachment|content)\b/i

const UNKNOWN_RECIPIENT =
  /\b(unknown|no such|invalid|nonexistent|non-existent) (user|recipient|mailbox|address|account|local)\b|\b(user|recipient|mailbox|address|account)\b.{0,40}\b(unknown|not found|does(n't| not) exist|disabled|no longer|not exist)/i

const POLICY =
  /\b(spam|blocked|block ?list(ed)?|black ?list(ed)?|dnsbl|rbl|listed (by|at|in|on)|reputation|policy|spf|dkim|dmarc|relay(ing)?\b.{0,20}\b(denied|not|prohibited)|not (permitted|authori[sz]ed|allowed)|authentication|unsolicited|rate limit|too many)\b/i

/**
 * What a temporary refusal says of the recipient's whole domain (RFC 5321, section 4.2; RFC 3463).
 * - `certain`: its server wants no more mail for now: 421 speaks of the service, X.3.2 of the system, X.4.5 of its load,
 *   X.7.28 of our flood of mail.
 * - `possible`: policy (X.7.X, where rate limits and unnamed greylisting look alike), the system, or no enhanced code at
 *   all. One says little, several recipients in a row say much.
 * - undefined: it concerns one mailbox (X.1.X, X.2.X) or is greylisting by name, or it was no reply. Failures to connect
 *   and refusals before the recipient was named are the transport's own: they say nothing about the domain.
 */
export function domainTrouble(refusal: Refusal): 'certain' | 'possible' | undefined {
  const { permanent, stage, code = 0, enhancedCode = '', reason } = refusal
  if (permanent || stage === 'connect' || stage === 'mail' || code < 400 || code >= 500) return undefined
  if (code === 421 || OF_THE_DOMAIN.test(enhancedCode)) return 'certain'
  return OF_A_MAILBOX.test(enhancedCode) || isMailboxFull(refusal) || GREYLISTING.test(reason) ? undefined : 'possible'
}

/**
 * What a refusal says of the next hop itself: of the relay all mail of a transport goes to.
 * - `certain`: it answered the greeting, EHLO, STARTTLS or AUTH with a refusal, or MAIL with 421: it wants nothing of us now.
 * - `possible`: there was no connection, or MAIL was put off for a reason of the system, the network or policy (X.3.X,
 *   X.4.X, X.7.X) that does not name the sender's address, which would be one customer's affair.
 * - undefined: it concerns this mail, or it is for good.
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
const OF_A_MAILBOX = /^4\.[12]\.\d+$/
const GREYLISTING = /\bgr[ae]y-?list/i
