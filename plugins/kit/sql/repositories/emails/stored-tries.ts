import type { ConversationAnswer } from '../../../../../core/ports/mail-transport.ts'
import type { MailTry } from '../../../../../core/ports/store/emails.ts'

/** An answer, short: command, code, text. */
type StoredAnswer = readonly [command: string, code: number | null, text: string]

/** One transport's part of a try and its answer, short, since every mail has one: without the names of its parts. */
type StoredHop = readonly [
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
export type StoredTry = readonly StoredHop[]

export function storedTry(tries: readonly MailTry[]): StoredTry {
  return tries.map(({ at, transport, outcome, reason = null, conversation }) => {
    const { host = null, address = null, tls = null, answers } = conversation ?? {}
    const stored = answers?.map(({ command, code = null, text }): StoredAnswer => [command, code, text]) ?? null
    return [at.getTime(), transport, outcome, reason, host, address, tls, stored]
  })
}

/** The tries as they were, oldest first. */
export function triesOf(stored: readonly StoredTry[]): readonly MailTry[] {
  return stored.flat().map(([at, transport, outcome, reason, host, address, tls, answers]): MailTry => {
    const whom = {
      ...(host === null ? {} : { host }),
      ...(address === null ? {} : { address }),
      ...(tls === null ? {} : { tls }),
    }
    return {
      at: new Date(at),
      transport,
      outcome,
      ...(reason === null ? {} : { reason }),
      ...(answers === null ? {} : { conversation: { ...whom, answers: answers.map(answerOf) } }),
    }
  })
}

function answerOf([command, code, text]: StoredAnswer): ConversationAnswer {
  return { command, ...(code === null ? {} : { code }), text }
}
