import type { Accepted, Conversation, Refusal, Refused, SendResult } from '../../core/ports/mail-transport.ts'

type RefusedRecipient = Refusal & { readonly recipient: string }

/** A deferral by a domain whose server said nothing, or fell silent (RFC 3463, X.4.2). */
const SILENT = '4.4.2'

/** Gathers what became of a mail at several servers, and makes one result of it. */
export class Outcome {
  readonly #accepted: Accepted[] = []
  readonly #refused: RefusedRecipient[] = []
  readonly #conversations: Conversation[] = []
  #lost: Error | undefined

  /**
   * Takes a server's result for these recipients. Answers those who may be tried at the next server of the domain, with
   * their refusals, which are not taken: they were put off before anything of the mail was sent.
   */
  take(recipients: readonly string[], result: SendResult): readonly RefusedRecipient[] {
    if (result.conversation) this.#conversations.push(result.conversation)
    if (result.outcome === 'accepted') this.#accepted.push(result)
    const refused = refusalsOf(recipients, result).map(ofDomain)
    const putOff = refused.filter(({ permanent, stage }) => !permanent && stage !== 'data')
    this.refuse(refused.filter((one) => !putOff.includes(one)))
    return putOff
  }

  /** Takes refusals as they are. */
  refuse(refused: readonly RefusedRecipient[]): void {
    this.#refused.push(...refused)
  }

  /** Takes that it is not known what became of the mail of these recipients. */
  lose(recipients: readonly string[], error: Error & { readonly conversation?: Conversation }): void {
    this.#lost ??= error
    if (error.conversation) this.#conversations.push(error.conversation)
    this.refuse(recipients.map((recipient) => ({ recipient, permanent: false, stage: 'data', reason: error.message })))
  }

  /** The result for the mail. Throws when what became of it is not known and no domain has taken it. */
  result(): SendResult {
    if (this.#accepted.length === 0 && this.#lost) throw this.#lost
    const refused = this.#refused.length > 0 ? { refused: this.#refused } : {}
    const conversation = joined(this.#conversations)
    const more = { ...refused, ...(conversation && { conversation }) }
    return this.#accepted.length > 0 ? this.#allAccepted(more) : noneAccepted(this.#refused, more)
  }

  #allAccepted(more: Partial<Accepted>): Accepted {
    const [first] = this.#accepted
    if (this.#accepted.length === 1 && first) return { ...first, ...more }
    const [id] = this.#accepted.flatMap((one) => one.id ?? [])
    const response = this.#accepted.flatMap((one) => one.response ?? []).join('; ')
    return { outcome: 'accepted', ...(id === undefined ? {} : { id }), response, ...more }
  }
}

function noneAccepted(refused: readonly RefusedRecipient[], more: Partial<Refused>): Refused {
  const first = refused.find(({ permanent }) => !permanent) ?? refused[0]
  if (first === undefined) throw new TypeError('The envelope has no recipients')
  const { recipient: _recipient, ...refusal } = first
  return { outcome: 'refused', ...refusal, ...more }
}

/** Those of the recipients who do not have the mail, each with the reason. */
function refusalsOf(recipients: readonly string[], result: SendResult): readonly RefusedRecipient[] {
  const given = result.refused ?? []
  if (result.outcome === 'accepted') return given
  const { outcome: _outcome, conversation: _conversation, refused: _refused, ...refusal } = result
  return recipients.map((recipient) => given.find((one) => one.recipient === recipient) ?? { recipient, ...refusal })
}

/** A deferral before a recipient is named concerns this domain alone, not the transport; so does a server's silence. */
function ofDomain(refusal: RefusedRecipient): RefusedRecipient {
  if (refusal.permanent) return refusal
  const { stage, code, enhancedCode } = refusal
  const ofSilence = code === undefined && enhancedCode === undefined ? { enhancedCode: SILENT } : {}
  return { ...refusal, ...ofSilence, stage: stage === 'mail' ? 'rcpt' : stage }
}

/** One conversation of several: the hosts beside each other, the answers one after the other. */
function joined(conversations: readonly Conversation[]): Conversation | undefined {
  const [first, ...others] = conversations
  if (first === undefined || others.length === 0) return first
  const host = conversations.flatMap((one) => one.host ?? []).join(', ')
  return { host, answers: conversations.flatMap(({ answers }) => answers) }
}
