import type { Refusal, Refused, SendResult } from '../../core/ports/mail-transport.ts'
import type { WireEnvelope } from './envelope.ts'

/** Where a delivery that has been given to a connection reports to. */
export interface DeliveryOwner {
  /** The signal was aborted: stop at once and settle the delivery. */
  giveUp(delivery: Delivery): void
}

/** One mail on its way: settled exactly once, its signal listened to until then. */
export class Delivery {
  readonly envelope: WireEnvelope
  readonly message: Buffer
  readonly signal: AbortSignal
  /** Who has it now; undefined while it waits for a connection and when it is settled. */
  owner: DeliveryOwner | undefined
  /** True when a kept connection had died under it: there is no second fresh try. */
  retried = false
  settled = false
  readonly #resolve: (result: SendResult) => void
  readonly #reject: (error: Error) => void

  constructor(
    envelope: WireEnvelope,
    message: Buffer,
    signal: AbortSignal,
    resolve: (result: SendResult) => void,
    reject: (error: Error) => void,
  ) {
    this.envelope = envelope
    this.message = message
    this.signal = signal
    this.#resolve = resolve
    this.#reject = reject
    signal.addEventListener('abort', this)
  }

  /** The signal's event. */
  handleEvent(): void {
    this.owner?.giveUp(this)
  }

  answer(result: SendResult): void {
    this.#settle()
    this.#resolve(result)
  }

  refuse(refusal: Refusal | Refused): void {
    this.answer({ ...refusal, outcome: 'refused' })
  }

  /** Nobody knows whether the mail was taken. */
  lose(error: Error): void {
    this.#settle()
    this.#reject(error)
  }

  #settle(): void {
    this.settled = true
    this.owner = undefined
    this.signal.removeEventListener('abort', this)
  }
}
