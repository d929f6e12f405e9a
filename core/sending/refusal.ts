import type { Refusal } from '../ports/mail-transport.ts'

/**
 * Whose fault a refusal is.
 * - `later`: nobody's; try again (4xx, connection trouble, a full mailbox).
 * - `recipient`: the address is no good: a bounce.
 * - `sender`: ours or our network's (policy, reputation, authentication, the message): no reason to suppress anybody.
 */
export type RefusalCause = 'later' | 'recipient' | 'sender'

/** Judges a refusal by its stage, its enhanced status code (RFC 3463) and the words of the reply. */
export function causeOf(refusal: Refusal): RefusalCause {
  if (!refusal.permanent || isMailboxFull(refusal)) return 'later'
  if (refusal.stage === 'connect' || refusal.stage === 'mail') return 'sender'
  const { enhancedCode = '', reason } = refusal
  if (ABOUT_SENDER.test(enhancedCode)) return 'sender'
  if (UNKNOWN_RECIPIENT.test(reason)) return 'recipient'
  return enhancedCode.startsWith('5.7.') || POLICY.test(reason) ? 'sender' : 'recipient'
}

/** 5.1.7 and 5.1.8 name a bad sender, 5.2.3 and 5.3.4 a message too long, 5.6.X its content (RFC 3463). */
const ABOUT_SENDER = /^5\.(1\.[78]|2\.3|3\.4|6\.\d+)$/

const UNKNOWN_RECIPIENT =
  /\b(unknown|no such|invalid|nonexistent|non-existent) (user|recipient|mailbox|address|account|local)\b|\b(user|recipient|mailbox|address|account)\b.{0,40}\b(unknown|not found|does(n't| not) exist|disabled|no longer|not exist)/i

const POLICY =
  /\b(spam|blocked|block ?list(ed)?|black ?list(ed)?|dnsbl|rbl|listed (by|at|in|on)|reputation|policy|spf|dkim|dmarc|relay(ing)?\b.{0,20}\b(denied|not|prohibited)|not (permitted|authori[sz]ed|allowed)|authentication|unsolicited|rate limit|too many)\b/i

/** A full mailbox empties again, whatever the reply's class says (RFC 3463, X.2.2; 552 of RFC 5321). */
function isMailboxFull({ enhancedCode, code, reason }: Refusal): boolean {
  if (/^[45]\.2\.2$/.test(enhancedCode ?? '')) return true
  return (code === 552 || code === 452) && FULL.test(reason)
}

const FULL = /\b(mailbox|inbox|quota|storage)\b.*\b(full|exceed|over)|\bover ?quota\b|\bquota exceeded\b/i
