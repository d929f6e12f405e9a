import type { ConversationAnswer } from '../../../../../core/ports/mail-transport.ts'
import type { MailTry } from '../../../../../core/ports/store/emails.ts'

/** An answer, short: command, code, text. */
type StoredAnswer = readonly [command: string, code: number | null, text: string]

/**
 * One transport's part of a try and its answer, short, since every mail has one: without the names of its parts, and without
 * those at the end that are null.
 */
type StoredHop = readonly [
  at: number,
  transport: string,
  /** True for accepted, false for refused, null for unknown. */
  outcome: boolean | null,
  /** A text for the usual conversation: see `usual`. */
  answers?: readonly StoredAnswer[] | string | null,
  host?: string | null,
  /** True: the host is this address and a port. */
  address?: string | true | null,
  tls?: string | null,
  reason?: string | null,
]

/** The same as it was written before, of which rows are left: three times as long. */
type LongHop = readonly [
  at: number,
  transport: string,
  outcome: MailTry['outcome'],
  reason: string | null,
  host: string | null,
  address: string | null,
  tls: string | null,
  answers: readonly StoredAnswer[] | null,
]

/** One try: the transports that were asked, one after the other. */
export type StoredTry = readonly (StoredHop | LongHop)[]

export function storedTry(tries: readonly MailTry[]): StoredTry {
  return tries.map(({ at, transport, outcome, reason, conversation }): StoredHop => {
    const begun = [at.getTime(), transport, outcome === 'unknown' ? null : outcome === 'accepted'] as const
    const { host = null, address = null, tls = null, answers } = conversation ?? {}
    const heard = answers === undefined ? null : (usual(answers) ?? answers.map(storedAnswer))
    const own = address !== null && address === addressIn(host) ? true : address
    if (reason !== undefined) return [...begun, heard, host, own, tls, reason]
    if (tls !== null) return [...begun, heard, host, own, tls]
    if (own !== null) return [...begun, heard, host, own]
    if (host !== null) return [...begun, heard, host]
    return heard === null ? begun : [...begun, heard]
  })
}

/** The part of `192.0.2.1:25` before the port. */
function addressIn(host: string | null): string | null {
  return host === null || !host.includes(':') ? null : host.slice(0, host.lastIndexOf(':'))
}

/** The tries as they were, oldest first. */
export function triesOf(stored: readonly StoredTry[]): readonly MailTry[] {
  return stored.flat().map((hop): MailTry => {
    const [at, transport, outcome, heard = null, host = null, own = null, tls = null, reason = null] = isLong(hop)
      ? shortened(hop)
      : hop
    const address = own === true ? addressIn(host) : own
    const whom = {
      ...(host === null ? {} : { host }),
      ...(address === null ? {} : { address }),
      ...(tls === null ? {} : { tls }),
    }
    return {
      at: new Date(at),
      transport,
      outcome: outcome === null ? 'unknown' : outcome ? 'accepted' : 'refused',
      ...(reason === null ? {} : { reason }),
      ...(heard === null ? {} : { conversation: { ...whom, answers: answersOf(heard) } }),
    }
  })
}

function isLong(hop: StoredHop | LongHop): hop is LongHop {
  return typeof hop[2] === 'string'
}

function shortened([at, transport, outcome, reason, host, address, tls, answers]: LongHop): StoredHop {
  return [at, transport, outcome === 'unknown' ? null : outcome === 'accepted', answers, host, address, tls, reason]
}

/** The commands that hand over a mail to one recipient, and the codes of a server that takes it. */
const STEPS = [
  { command: 'MAIL', code: 250 },
  { command: 'RCPT', code: 250 },
  { command: 'DATA', code: 354 },
  { command: 'message', code: 250 },
] as const

/**
 * Texts that servers answer to many mails alike; a letter stands for each, by its place. Rows are written with them, so they
 * keep their places, and others come at the end.
 */
const TEXTS = [
  // Postfix, and servers that speak as it does
  '2.1.0 Ok',
  '2.1.5 Ok',
  'End data with <CR><LF>.<CR><LF>',
  // Exim
  'OK',
  'Accepted',
  'Enter message, ending with "." on a line by itself',
  // Amazon SES, and servers made with Node
  'Ok',
  'End data with <CR><LF>.<CR><LF>.',
  'Continue',
  // Exchange
  '2.1.0 Sender OK',
  '2.1.5 Recipient OK',
  'Start mail input; end with <CRLF>.<CRLF>',
  // Sendmail, OpenSMTPD
  '2.1.0 Sender ok',
  '2.1.5 Recipient ok',
  'Enter mail, end with "." on a line by itself',
  '2.0.0 Ok',
  '2.1.5 Destination address valid: Recipient ok',
  'Enter mail, end with "." on a line by itself.',
  // providers
  'Sender address accepted',
  'Recipient address accepted',
  'Start mail input; end with <CR><LF>.<CR><LF>',
]
const FIRST_LETTER = 'A'.charCodeAt(0)
const LETTERS: ReadonlyMap<string, string> = new Map(
  TEXTS.map((text, place) => [text, String.fromCharCode(FIRST_LETTER + place)]),
)

/**
 * A usual conversation as one text: a letter for each of the first three answers, and the last one as it was, since it mostly
 * names the mail. Undefined for another.
 */
function usual(answers: readonly ConversationAnswer[]): string | undefined {
  if (answers.length !== STEPS.length) return undefined
  let letters = ''
  for (const [i, { command, code }] of STEPS.entries()) {
    const answer = answers[i]
    if (answer?.command !== command || answer.code !== code) return undefined
    if (i === STEPS.length - 1) return letters + answer.text
    const letter = LETTERS.get(answer.text)
    if (letter === undefined) return undefined
    letters += letter
  }
  return undefined
}

function answersOf(stored: readonly StoredAnswer[] | string): readonly ConversationAnswer[] {
  if (typeof stored !== 'string') return stored.map(answerOf)
  return STEPS.map(({ command, code }, i) => {
    const isLast = i === STEPS.length - 1
    return { command, code, text: isLast ? stored.slice(i) : (TEXTS[stored.charCodeAt(i) - FIRST_LETTER] ?? '') }
  })
}

function storedAnswer({ command, code, text }: ConversationAnswer): StoredAnswer {
  return [command, code ?? null, text]
}

function answerOf([command, code, text]: StoredAnswer): ConversationAnswer {
  return { command, ...(code === null ? {} : { code }), text }
}
