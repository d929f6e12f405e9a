import type {
  Conversation,
  ConversationAnswer,
  Refusal,
  Refused,
  SendResult,
} from '../../../core/ports/mail-transport.ts'
import type { NotConnected } from './connect-problem.ts'
import type { WireEnvelope } from './envelope.ts'
import type { UsedUp } from './session-limit.ts'

/** Holds a delivery while it is under way or waiting. */
export interface DeliveryOwner {
  /** Called when the signal aborts: stop at once and settle the delivery. */
  giveUp(delivery: Delivery): void
}

/** The delivery of one mail. It is settled exactly once and hears of its signal until then. */
export class Delivery {
  readonly envelope: WireEnvelope
  readonly message: Buffer
  readonly signal: AbortSignal
  /** Who holds it now; undefined once it is settled. */
  owner: DeliveryOwner | undefined
  /** How often a connection in use came to its end under it, which is no fault of the mail. */
  returns = 0
  /** After that it goes on a connection that has carried no mail, whose reply is about the mail itself. */
  wantsFresh = false
  /** How the last of these connections ended, until a fresh one takes the mail and so proves it. */
  usedUp: UsedUp | undefined
  settled = false
  #conversation: Conversation | undefined
  #answers: ConversationAnswer[] = []
  readonly #aborts: Aborts
  readonly #resolve: (result: SendResult | NotConnected) => void
  readonly #reject: (error: Error) => void

  constructor(
    envelope: WireEnvelope,
    message: Buffer,
    signal: AbortSignal,
    aborts: Aborts,
    resolve: (result: SendResult | NotConnected) => void,
    reject: (error: Error) => void,
  ) {
    this.envelope = envelope
    this.message = message
    this.signal = signal
    this.#aborts = aborts
    this.#resolve = resolve
    this.#reject = reject
    aborts.watch(this)
  }

  /** A connection to this server carries it from now on. */
  carriedTo(peer: Omit<Conversation, 'answers'>): void {
    this.#answers = []
    this.#conversation = { ...peer, answers: this.#answers }
  }

  /** Notes what the server answered. */
  heard(answer: ConversationAnswer): void {
    this.#answers.push(answer)
  }

  /** Called when its signal is aborted. */
  aborted(): void {
    this.owner?.giveUp(this)
  }

  answer(result: SendResult | NotConnected): void {
    this.#settle()
    this.#resolve(this.#conversation ? { ...result, conversation: this.#conversation } : result)
  }

  refuse(refusal: Refusal | Refused): void {
    this.answer({ ...refusal, outcome: 'refused' })
  }

  /** Settles it as unknown, since the mail may or may not have been accepted. */
  lose(error: Error): void {
    this.#settle()
    this.#reject(this.#conversation ? Object.assign(error, { conversation: this.#conversation }) : error)
  }

  #settle(): void {
    this.settled = true
    this.owner = undefined
    this.#aborts.forget(this)
  }
}

/** Work that ends when its signal is aborted. */
interface Abortable {
  readonly signal: AbortSignal
  aborted(): void
}

/** Tells deliveries that their signal was aborted. Many share a signal, and to listen to it takes long: that is done once. */
export class Aborts {
  readonly #listening = new Map<AbortSignal, { readonly all: Set<Abortable>; stop(): void }>()

  watch(one: Abortable): void {
    const { signal } = one
    const known = this.#listening.get(signal)
    if (known) known.all.add(one)
    else this.#listen(signal, one)
  }

  forget(one: Abortable): void {
    const known = this.#listening.get(one.signal)
    if (!known?.all.delete(one) || known.all.size > 0) return
    known.stop()
    this.#listening.delete(one.signal)
  }

  #listen(signal: AbortSignal, first: Abortable): void {
    const all = new Set([first])
    const tell = () => {
      for (const one of all) one.aborted()
    }
    signal.addEventListener('abort', tell)
    this.#listening.set(signal, { all, stop: () => signal.removeEventListener('abort', tell) })
  }
}
