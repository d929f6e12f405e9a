import { classOf } from '../bounces/judge.ts'
import { sentence } from '../bounces/refusal.ts'
import type { Answer, Conversation, ConversationAnswer, Refusal, SendResult } from '../ports/mail-transport.ts'
import type { FailureClass } from '../ports/metrics.ts'
import type { MailTry } from '../ports/store/emails.ts'
import { isObject } from '../values/json.ts'
import { shortened } from '../values/shortened.ts'

const MAX_TEXT = 1_000
const STAGES: readonly string[] = ['connect', 'mail', 'rcpt', 'data'] satisfies Refusal['stage'][]

/** The answer for a mail that was given up before it was handed over. */
export const GIVEN_UP: SendResult = {
  outcome: 'refused',
  permanent: false,
  stage: 'connect',
  reason: 'given up before it was handed over',
}

/**
 * Checks what transports answer, since plugins are not trusted: an answer of another shape is unreadable, also when only
 * one of its refusals is, and text from the network is cut and made storable.
 */
export function checkedAnswer(given: unknown): Answer {
  const refused = isObject(given) ? refusedOnes(given.refused) : undefined
  if (refused === undefined || !isObject(given)) return UNREADABLE
  if (given.outcome === 'accepted') {
    const { id, messageId, response, deliveryPending } = given
    return {
      outcome: 'accepted',
      ...(typeof id === 'string' ? { id: textOf(id) } : {}),
      ...(typeof messageId === 'string' ? { messageId: textOf(messageId) } : {}),
      ...(typeof response === 'string' ? { response: textOf(response) } : {}),
      ...(deliveryPending === true ? { deliveryPending } : {}),
      refused,
      ...conversationIn(given),
    }
  }
  if (given.outcome === 'refused' && isRefusal(given)) {
    return { outcome: 'refused', ...refusalOf(given), refused, ...conversationIn(given) }
  }
  return UNREADABLE
}

const UNREADABLE: Answer = {
  outcome: 'unknown',
  unreadable: true,
  reason: 'The answer of the transport cannot be read. It may have sent the mail, so it is not tried again by itself.',
}

/** The answer of a transport, in short, for the log of its author. */
export function shownAnswer(given: unknown): string {
  try {
    return textOf(shortened(JSON.stringify(given) ?? String(given), MAX_PIECE))
  } catch {
    return typeof given
  }
}

/** The answer for what a transport threw. */
export function unknownAnswer(thrown: unknown): Answer {
  return { outcome: 'unknown', reason: textOf(thrown), ...(isObject(thrown) ? conversationIn(thrown) : {}) }
}

/** The record of a try with one transport. */
export function tryOf(transport: string, at: Date, answer: Answer): MailTry {
  const { outcome, conversation } = answer
  const reason = outcome === 'refused' ? sentence(answer) : outcome === 'unknown' ? answer.reason : answer.response
  return {
    at,
    transport,
    outcome,
    // what was accepted says the answer itself
    ...(reason === undefined || (outcome === 'accepted' && conversation) ? {} : { reason }),
    ...(conversation ? { conversation } : {}),
  }
}

/** Why a mail to this recipient was not sent, or not to all; undefined when it was. */
export function failureOf(answer: Answer, to: string): FailureClass | undefined {
  if (answer.outcome === 'unknown') return 'no-answer'
  const { refused = [] } = answer
  const own = refused.find(({ recipient }) => recipient === to)
  const refusal = own ?? (answer.outcome === 'refused' ? answer : refused[0])
  return refusal && classOf(refusal)
}

/** How many characters of a conversation are kept, and of each of its texts. */
const MAX_CONVERSATION = 1_800
const MAX_PIECE = 300

/** The conversation in an answer or an error, cut; of many answers the last one is kept whatever came before. */
function conversationIn({ conversation: given }: Readonly<Record<string, unknown>>): {
  readonly conversation?: Conversation
} {
  if (!isObject(given) || !Array.isArray(given.answers)) return {}
  const piece = (name: 'host' | 'address' | 'tls') =>
    typeof given[name] === 'string' ? { [name]: pieceOf(given[name]) } : {}
  const answers: ConversationAnswer[] = []
  const all = given.answers.filter(isAnswer)
  let left = MAX_CONVERSATION
  for (const [i, { command, code, text }] of all.entries()) {
    const answer = { command: pieceOf(command), ...(typeof code === 'number' ? { code } : {}), text: pieceOf(text) }
    left -= answer.command.length + answer.text.length + 20
    if (left >= 0 || i === all.length - 1) answers.push(answer)
  }
  return { conversation: { ...piece('host'), ...piece('address'), ...piece('tls'), answers } }
}

function isAnswer(given: unknown): given is ConversationAnswer {
  return isObject(given) && typeof given.command === 'string' && typeof given.text === 'string'
}

function pieceOf(given: string): string {
  return textOf(shortened(given, MAX_PIECE))
}

/** The text of an error or a reply, short and storable. */
export function textOf(given: unknown): string {
  const text = given instanceof Error ? given.message : String(given)
  return shortened(text, MAX_TEXT).toWellFormed().replaceAll('\u0000', '')
}

function isRefusal(given: Readonly<Record<string, unknown>>): given is Refusal & Readonly<Record<string, unknown>> {
  return (
    typeof given.permanent === 'boolean' && STAGES.includes(String(given.stage)) && typeof given.reason === 'string'
  )
}

function refusalOf({ permanent, stage, noTls, noHop, code, enhancedCode, reason }: Refusal): Refusal {
  return {
    permanent,
    stage,
    reason: textOf(reason),
    ...(noTls === true ? { noTls } : {}),
    ...(noHop === true ? { noHop } : {}),
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof enhancedCode === 'string' ? { enhancedCode: textOf(enhancedCode) } : {}),
  }
}

/** Undefined when one of them cannot be read. */
function refusedOnes(given: unknown): readonly (Refusal & { readonly recipient: string })[] | undefined {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) return undefined
  const read: (Refusal & { readonly recipient: string })[] = []
  for (const one of given) {
    if (!isObject(one) || !isRefusal(one) || typeof one.recipient !== 'string') return undefined
    read.push({ ...refusalOf(one), recipient: one.recipient })
  }
  return read
}
