import type { RefusalClass } from '../ports/feedback-report.ts'
import type { Refusal } from '../ports/mail-transport.ts'

/**
 * Whose fault a refusal is.
 * - `later`: nobody's; try again (4xx, connection trouble, a full mailbox).
 * - `recipient`: the address is no good: a bounce.
 * - `sender`: ours or our network's (policy, reputation, authentication, the message): no reason to suppress anybody.
 */
export type RefusalCause = 'later' | 'recipient' | 'sender'

/**
 * Judges an SMTP reply to a delivery: temporary refusals are tried again, and a permanent one without a clear cause is
 * the recipient's (api.md, section 9).
 */
export function causeOf(refusal: Refusal): RefusalCause {
  if (!refusal.permanent) return 'later'
  const judged = classOf(refusal)
  if (judged === 'transient') return 'later'
  return judged === 'policy' ? 'sender' : 'recipient'
}

/**
 * Judges a refusal by its stage, its codes (RFC 5321, RFC 3463) and its text. What speaks of the sender counts before
 * what speaks of the recipient: when our account is suspended, a whole list must not be suppressed for it. The text of
 * a `report` is more than one server's reply, so only words with a clear meaning count in it.
 */
export function classOf(refusal: Refusal, source: 'reply' | 'report' = 'reply'): RefusalClass {
  const { permanent, stage, code = 0, enhancedCode = '', reason } = refusal
  if (
    isMailboxFull(refusal) ||
    (enhancedCode === '' && FULL.test(reason) && !/\b(?:sending|daily|hourly)\b/i.test(reason))
  )
    return 'transient'
  const isPolicy = BLOCKED.test(reason) && !GREYLISTING.test(reason)
  if (!permanent) return isPolicy ? 'policy' : 'transient'
  if (stage === 'connect' || stage === 'mail') return TROUBLE.test(reason) ? 'transient' : 'policy'
  if (ABOUT_SENDER.test(enhancedCode)) return 'policy'
  if (isProtocolError(code) && !OF_THE_ADDRESS.test(enhancedCode)) return 'policy'
  if ((source === 'report' ? SENDER_NAMED : SENDER).test(reason)) return 'policy'
  if (/\btemporar(?:y|ily)\b/i.test(reason) && !isPolicy) return 'transient'
  if (UNKNOWN_RECIPIENT.test(reason)) return isAfterContent(refusal) ? 'unknown' : 'permanent'
  if (isPolicy || (source === 'reply' && POLICY.test(reason) && !TROUBLE.test(reason))) return 'policy'
  if (UNKNOWN_HOST.test(reason) && !/try again/i.test(reason)) return 'permanent'
  if (TROUBLE.test(reason) || (/^5\.4\.[1-7]$/.test(enhancedCode) && ROUTING.test(reason))) return 'transient'
  if (UNAVAILABLE.test(reason)) return 'permanent'
  if (SENDER_UNLESS_NAMED.test(enhancedCode)) return 'policy'
  return OF_THE_ADDRESS.test(enhancedCode) || (stage === 'rcpt' && enhancedCode === '' && code === 550)
    ? 'permanent'
    : 'unknown'
}

/** Replies of our relay that refuse our login: required, too weak, wrong, disabled (RFC 4954, section 6; RFC 5248). */
const LOGIN_REFUSED: ReadonlySet<number | undefined> = new Set([525, 530, 534, 535, 538])

/** The refusal as a sentence for the record. How our own relay is reached is left to the operator's log. */
export function sentence({ stage, code, enhancedCode, reason }: Refusal): string {
  if (stage === 'connect') {
    return LOGIN_REFUSED.has(code)
      ? 'The mail server refuses the login of this server.'
      : 'The mail server could not be reached.'
  }
  const status = [code, enhancedCode].filter((part) => part !== undefined).join(' ')
  return status === '' || reason.startsWith(status) ? reason : `${status} ${reason}`
}

/**
 * Some servers accept the recipient and call it unknown only after the content, when they dislike the mail. Without a
 * code that says the same this does not prove a bad address.
 */
function isAfterContent({ enhancedCode = '', reason }: Refusal): boolean {
  return /\bend of DATA\b/i.test(reason) && !OF_THE_ADDRESS.test(enhancedCode)
}

/** A full mailbox is temporary, whatever the reply's class says (RFC 3463, X.2.2; 552 of RFC 5321). */
function isMailboxFull({ enhancedCode = '', code, reason }: Refusal): boolean {
  if (/^[45]\.2\.2$/.test(enhancedCode)) return true
  return (code === 552 || code === 452) && FULL.test(reason)
}

/** 500 to 504 say that the command was wrong, not the address (RFC 5321, section 4.2.2). */
function isProtocolError(code: number): boolean {
  return code >= 500 && code <= 504
}

/** Words about our reputation, our network or the mail, in any context. */
const BLOCKED =
  /\b(?:spam\w*|junk|block ?list(?:ed)?|black ?list(?:ed)?|dnsbl|rbl|spamhaus|TSS0\d|S31[45]0|OFR_?999|spamcop|barracuda|sender ?score|(?:ip|host|address|client|connection|message|mail|content)s?\b.{0,40}\bblocked|blocked (?:by|using|for|due)|listed (?:by|at|in|on)|reputation|local policy|policy (?:violation|reasons?|restrictions?)|security polic\w+|spf|dkim|dmarc|unauthenticated|not authenticated|authentication (?:required|failed|checks?|results?)|reverse dns|\bptr\b|relay(?:ing)?\b.{0,20}\b(?:denied|not|prohibited)|no relaying|unsolicited|bulk mail|user complaints|unusual rate|sender (?:address )?(?:rejected|denied|is not allowed)|virus|malware|infected)\b/i

/** A server or the network was in trouble for longer than the mail was retried. */
const TROUBLE =
  /\b(?:timed? ?out|connection (?:refused|reset|dropped|lost|closed)|lost connection|network (?:is )?(?:unreachable|error)|no route to host|temporar\w+|try again|retry (?:time|timeout)|too many (?:connections|concurrent|hops|sessions)|insufficient (?:disk|system|storage|resources)|out of (?:memory|disk)|no space left|disk full|queue (?:too long|lifetime|expired|time)|(?:message|delivery time|mail) expired|expired (?:after|in queue)|could not be delivered for \d|aborted after|delivery (?:was )?(?:aborted|attempt)|unable to (?:connect|contact)|did not accept .{0,20}connect|after (?:multiple|several|many) (?:retries|attempts)|hosts? have been failing|can(?:no|')t (?:connect|contact)|could not (?:connect|contact)|not respond(?:ing)?|system (?:error|not accepting)|service (?:temporarily |currently )?unavailable|host (?:is )?down|loops? back|mail (?:forwarding )?loop|loop(?:s|ing)? detected|server (?:error|busy)|i\/o error|delivery tim)/i
const ROUTING = /\b(?:loop|rout(?:e|ing)|hops|network|connect)/i

/** Words that name the sender as the cause, even in a quoted report. */
const SENDER_NAMED =
  /\b(?:sender (?:address |domain )?(?:is |was )?(?:rejected|denied|verif\w+|invalid|unknown|blocked|not)|your (?:account|domain|ip|server|host)\b|size (?:exceeds?|limit)|too (?:large|big)|exceed\w* .{0,30}(?:size|limit)|not (?:a )?(?:member|permitted|authori[sz]ed|allowed)|no permission|access denied|permission to post|members? only|valid From|groups\.google\.com|send mail as|content (?:was )?(?:rejected|filter)|attachments? (?:is |are )?not)/i

/** Bad destination mailbox, system, syntax, moved, no null MX; a disabled mailbox. */
const OF_THE_ADDRESS = /^5\.(?:1\.(?:0|1|2|3|4|6|10)|2\.1)$/

const FULL = /\b(mailbox|inbox|quota|storage)\b.{0,80}\b(full|exceed|over)|\bover ?quota\b|\bquota exceeded\b/i

/** 5.1.7 and 5.1.8 name a bad sender, 5.2.3 and 5.3.4 a message too long, 5.6.X its content. */
const ABOUT_SENDER = /^5\.(1\.[78]|2\.3|3\.4|6\.\d+)$/

/** System, protocol and policy: our fault unless the text names the recipient. */
const SENDER_UNLESS_NAMED = /^5\.[357]\.\d+$/

const SENDER =
  /\b(sender|sending|your (account|address|domain|ip|server|host|message|mail)|daily|size|too large|too big|virus|malware|infected|attachment|content)\b/i

const UNKNOWN_RECIPIENT =
  /\b(unknown|no such|invalid|nonexistent|non-existent) (user|recipient|mailbox|address|account|local)\b|\b(user|recipient|mailbox|address|account)\b.{0,40}\b(unknown|not found|does(n't| not) exist|disabled|no longer|not exist)|\buser does(n't| not) have an? .{1,80} account/i

/** The domain does not exist. */
const UNKNOWN_HOST =
  /\b(?:domain|host)(?: or domain)?(?: name)? (?:does not exist|doesn't exist|not found|unknown|is invalid)|\b(?:unknown|no such) (?:host|domain)|\bNXDOMAIN\b|\bname (?:service|server) error\b.{0,120}\bnot found/i

/** Words that count only when no other cause was found. */
const UNAVAILABLE =
  /\b(?:mailbox|user|account) (?:is )?(?:unavailable|inactive|closed|suspended|deactivated|terminated)/i

const POLICY =
  /\b(spam|blocked|block ?list(ed)?|black ?list(ed)?|dnsbl|rbl|listed (by|at|in|on)|reputation|policy|spf|dkim|dmarc|relay(ing)?\b.{0,20}\b(denied|not|prohibited)|not (permitted|authori[sz]ed|allowed)|authentication|unsolicited|rate limit|too many)\b/i

/**
 * What a temporary refusal says about the recipient's whole domain (RFC 5321, section 4.2; RFC 3463).
 * - `certain`: its server wants no more mail for now: 421 speaks of the service, X.3.2 of the system, X.4.5 of its
 *   load,
 *   X.7.28 of our flood of mail.
 * - `possible`: policy (X.7.X, where rate limits and unnamed greylisting look alike), the system, or no enhanced code
 *   at
 *   all. One such refusal says little, several recipients in a row say much.
 * - undefined: it concerns one mailbox (X.1.X, X.2.X) or is greylisting by name, or it was no reply. Failures to
 *   connect
 *   and refusals before the recipient was named are the transport's own: they say nothing about the domain.
 */
export function domainTrouble(refusal: Refusal): 'certain' | 'possible' | undefined {
  const { permanent, stage, code = 0, enhancedCode = '', reason } = refusal
  if (permanent || stage === 'connect' || stage === 'mail' || code < 400 || code >= 500) return undefined
  if (code === 421 || OF_THE_DOMAIN.test(enhancedCode)) return 'certain'
  return OF_A_MAILBOX.test(enhancedCode) || isMailboxFull(refusal) || GREYLISTING.test(reason) ? undefined : 'possible'
}

/**
 * What a refusal says about the next hop itself, the relay that all mail of a transport goes to.
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
const OF_A_MAILBOX = /^4\.[12]\.\d+$/
const GREYLISTING = /\bgr[ae]y-?list/i
