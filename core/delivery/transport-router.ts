import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { MailTransports, type NamedTransport } from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import { Deadlines } from './deadlines.ts'
import { SendingThreads } from './threads/sending-threads.ts'
import type { Gate } from './throttle-gate.ts'
import { TransportLine, type TransportState } from './transport-line.ts'

/**
 * The transports in their order. When one refuses a mail for a reason other than its recipient, the next is tried. One
 * whose next hop is in trouble is left out while another is not; when all are in trouble, mail waits at the gate of the
 * one whose pause ends first.
 */
@injectable()
export class TransportRouter {
  readonly #lines: readonly TransportLine[]
  readonly #deadlines: Deadlines

  constructor(
    @inject(MailTransports) transports: readonly NamedTransport[],
    @inject(SendingThreads) private readonly threads: SendingThreads,
    @inject(Kit) { log, settings }: Kit,
  ) {
    const limits = settings.delivery.throttle.transports
    const deadlines = new Deadlines(settings.delivery.sendTimeout * 1000)
    this.#deadlines = deadlines
    this.#lines = transports.map(
      (named) =>
        new TransportLine(named, limits[named.name] ?? {}, { sender: threads.senderOf(named), deadlines, log }),
    )
  }

  /** When a mail last had an answer of the transport's next hop, by the monotonic clock. */
  reachedAt(transport: string): number | undefined {
    return this.#lines.find(({ name }) => name === transport)?.reachedAt
  }

  /** How each transport of this process stands. */
  states(): readonly TransportState[] {
    return this.#lines.map((line) => line.state())
  }

  /** The gate where mail waits while every transport is in trouble; undefined when one is not. */
  get trouble(): Gate | undefined {
    let [first] = this.#lines
    for (const line of this.#lines) {
      if (line.trouble === undefined) return undefined
      if (first && line.pausedUntil < first.pausedUntil) first = line
    }
    return first?.trouble
  }

  /** The transports in order, without those that are paused; when all are, the one whose pause ends first. */
  route(): readonly TransportLine[] {
    if (this.#lines.every((line) => !line.isPaused)) return this.#lines
    const free = this.#lines.filter((line) => !line.isPaused)
    return free.length > 0 ? free : this.#lines.toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /** Answers when few enough mails of this lane wait for the first transport that it can take more. */
  async room(lane: Lane): Promise<void> {
    await this.threads.ready()
    for (let [first] = this.route(); first && !first.slots.hasRoom(lane); [first] = this.route()) {
      await first.slots.change()
    }
  }

  /** Aborts every running try when the signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    return this.#deadlines.follow(signal)
  }

  /** Aborts every running try now. */
  giveUp(reason: string): void {
    this.#deadlines.giveUp(new Error(reason))
  }
}
