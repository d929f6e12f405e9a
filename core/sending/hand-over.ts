import PQueue from 'p-queue'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { MailTransports, type NamedTransport, type OutgoingMail } from '../ports/mail-transport.ts'
import { LANES, type Lane } from '../ports/queue.ts'
import { type EngineValues, Values } from '../settings.ts'
import { Deadlines } from './deadlines.ts'
import type { Try } from './outcome.ts'
import { causeOf } from './refusal.ts'

/** One mail's way through a transport's slot. */
export interface Passage {
  /** Called when a slot is free: the mail, or undefined when there is nothing to send after all. */
  prepare(): Promise<OutgoingMail | undefined>
  /** Called with the result; the slot stays taken until the promise resolves. */
  conclude(mail: OutgoingMail, transport: string, result: Try['result']): Promise<void>
}

/**
 * Hands mails to the transports, each transport never more than it can take, a higher lane first. When one refuses for
 * a reason that is not the recipient's, the next is tried.
 */
@injectable()
export class HandOver {
  readonly #lines: readonly Line[]
  readonly #deadlines: Deadlines

  constructor(
    @inject(MailTransports) transports: readonly NamedTransport[],
    @inject(Values) values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#lines = transports.map((named) => ({
      ...named,
      slots: new PQueue({ concurrency: named.transport.concurrency }),
      waiting: { transactional: 0, workflow: 0, campaign: 0 },
      watching: [],
    }))
    this.#deadlines = new Deadlines(values.delivery.sendTimeout * 1000)
  }

  /** How many mails have a slot now. */
  get inFlight(): number {
    return this.#lines.reduce((sum, { slots }) => sum + slots.pending, 0)
  }

  /** Answers when so little of this lane waits for the first transport that it can do with more. */
  async room(lane: Lane): Promise<void> {
    const [first] = this.#lines
    while (first && first.waiting[lane] >= first.transport.concurrency) {
      await new Promise<void>((resolve) => first.watching.push(resolve))
    }
  }

  /** Answers when the mail's result is concluded or there was nothing to send. */
  async pass(lane: Lane, passage: Passage): Promise<void> {
    const priority = LANES.length - LANES.indexOf(lane)
    for (const [i, line] of this.#lines.entries()) {
      const isLast = i === this.#lines.length - 1
      line.waiting[lane]++
      const through = () => {
        line.waiting[lane]--
        for (const look of line.watching.splice(0)) look()
        return this.#throughSlot(line, isLast, passage)
      }
      if (await line.slots.add(through, { priority })) return
    }
  }

  /** Gives up every try under way when the signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    return this.#deadlines.follow(signal)
  }

  /** False when the next transport should be tried. */
  async #throughSlot(line: Line, isLast: boolean, passage: Passage): Promise<boolean> {
    const mail = await passage.prepare()
    if (!mail) return true
    const result = await this.#send(line, mail)
    // After an unknown outcome another transport could double the mail; after a bounce it could only repeat it.
    if (!isLast && result.outcome === 'refused' && causeOf(result) !== 'recipient') {
      const { reason } = result
      this.kit.log.warn('a transport refused, trying the next', { transport: line.name, email: mail.id, reason })
      return false
    }
    await passage.conclude(mail, line.name, result)
    return true
  }

  async #send(line: Line, mail: OutgoingMail): Promise<Try['result']> {
    const deadline = this.#deadlines.start()
    try {
      return await line.transport.send(mail, deadline.signal)
    } catch (error) {
      this.kit.log.warn('the outcome of a try is unknown', { transport: line.name, email: mail.id, error })
      const reason = error instanceof Error ? error.message : String(error)
      return { outcome: 'unknown', reason: deadline.signal.aborted ? `gave up: ${reason}` : reason }
    } finally {
      deadline.end()
    }
  }
}

interface Line extends NamedTransport {
  readonly slots: PQueue
  /** How many mails of each lane wait for a slot. */
  readonly waiting: Record<Lane, number>
  /** Called whenever one of them has got its slot. */
  readonly watching: (() => void)[]
}
