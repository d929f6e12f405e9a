import type { Answer, Refusal, SendResult } from '../ports/mail-transport.ts'

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
 * Checks what transports answer, since plugins are not trusted: an answer of another shape counts as unknown, and text
 * from the network is cut and made storable.
 */
export function checkedAnswer(given: unknown): Answer {
  if (isObject(given) && given.outcome === 'accepted') {
    const { id, messageId, response, deliveryPending } = given
    return {
      outcome: 'accepted',
      ...(typeof id === 'string' ? { id: textOf(id) } : {}),
      ...(typeof messageId === 'string' ? { messageId: textOf(messageId) } : {}),
      ...(typeof response === 'string' ? { response: textOf(response) } : {}),
      ...(deliveryPending === true ? { deliveryPending } : {}),
      refused: refusedOnes(given.refused),
    }
  }
  if (isObject(given) && given.outcome === 'refused' && isRefusal(given)) {
    return { outcome: 'refused', ...refusalOf(given), refused: refusedOnes(given.refused) }
  }
  return { outcome: 'unknown', reason: 'The transport gave an answer that means nothing.' }
}

/** The text of an error or a reply, short and storable. */
export function textOf(given: unknown): string {
  const text = given instanceof Error ? given.message : String(given)
  return text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\u0000', '')
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null
}

function isRefusal(given: Readonly<Record<string, unknown>>): given is Refusal & Readonly<Record<string, unknown>> {
  return (
    typeof given.permanent === 'boolean' && STAGES.includes(String(given.stage)) && typeof given.reason === 'string'
  )
}

function refusalOf({ permanent, stage, code, enhancedCode, reason }: Refusal): Refusal {
  return {
    permanent,
    stage,
    reason: textOf(reason),
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof enhancedCode === 'string' ? { enhancedCode: textOf(enhancedCode) } : {}),
  }
}

function refusedOnes(given: unknown): readonly (Refusal & { readonly recipient: string })[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((one) =>
    isObject(one) && isRefusal(one) && typeof one.recipient === 'string'
      ? [{ ...refusalOf(one), recipient: one.recipient }]
      : [],
  )
}
