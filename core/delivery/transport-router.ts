import { causeOf } from '../bounces/refusal.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { type Answer, MailTransports, type NamedTransport, type OutgoingMail } from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { Deadlines } from './deadlines.ts'
import { checkedAnswer, textOf } from './send-answer.ts'
import type { Gate } from './throttle-gate.ts'
import { TransportLine } from './transport-line.ts'

/** What to do with one mail that gets a slot of a transport. */
export interface SlotTask {
  /** Called when a slot is free: the mail, or undefined when there is nothing to send after all. */
  prepare(): Promise<OutgoingMail | undefined>
  /** Called with the answer; the slot stays taken until the promise resolves. */
  conclude(mail: OutgoingMail, transport: string, answer: Answer): Promise<void>
}

/**
 * Hands mails to the transports, to each only as many as it can take, higher lanes first. When one refuses for a reason
 * other than the recipient, the next is tried. A transport whose next hop is in trouble is left out while another is
 * not; when all are in trouble, mail waits at the gate of the one whose pause ends first.
 */
@injectable()
export class TransportRouter {
  readonly #lines: readonly TransportLine[]
  readonly #deadlines: Deadlines

  constructor(
    @inject(MailTransports) transports: readonly NamedTransport[],
    @inject(Values) values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const limits = values.delivery.throttle.transports
    this.#lines = transports.map((named) => new TransportLine(named, limits[named.name] ?? {}))
    this.#deadlines = new Deadlines(values.delivery.sendTimeout * 1000)
  }

  /** How many mails have a slot now. */
  get inFlight(): number {
    return this.#lines.reduce((sum, { slots }) => sum + slots.pending, 0)
  }

  /** When a mail last had an answer of the transport's next hop, by the monotonic clock. */
  reachedAt(transport: string): number | undefined {
    return this.#lines.find(({ name }) => name === transport)?.reachedAt
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

  /** Answers when few enough mails of this lane wait for the first transport that it can take more. */
  async room(lane: Lane): Promise<void> {
    for (let [first] = this.#route(); first && !first.hasRoom(lane); [first] = this.#route()) await first.change()
  }

  /** Answers when the mail's result is concluded or there was nothing to send. Throws what `task` throws. */
  async send(lane: Lane, task: SlotTask): Promise<void> {
    const route = this.#route()
    for (const [i, line] of route.entries()) {
      const isLast = i === route.length - 1
      if (await line.runInSlot(lane, () => this.#throughSlot(line, isLast, task))) return
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

  /** The transports in order, without those that are paused; when all are, the one whose pause ends first. */
  #route(): readonly TransportLine[] {
    const free = this.#lines.filter((line) => !line.isPaused)
    if (free.length > 0) return free
    return this.#lines.toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /** False when the next transport should be tried. */
  async #throughSlot(line: TransportLine, isLast: boolean, task: SlotTask): Promise<boolean> {
    // it may have queued for this slot since before the pause
    if (line.isPaused && !isLast) return false
    const mail = await task.prepare()
    if (!mail) return true
    const since = performance.now()
    const answer = await this.#send(line, mail)
    const news = line.note(answer, since)
    if (news === 'well again') this.kit.log.info('a transport can be reached again', { transport: line.name })
    if (answer.outcome === 'refused') {
      const { stage, reason } = answer
      // what concerns one recipient is in the ledger; a large mailing would fill the log with it
      const isForOperators = news === 'in trouble' || (stage !== 'connect' && causeOf(answer) === 'sender')
      const about = { transport: line.name, email: mail.id, stage, reason, ...line.pause }
      this.kit.log[isForOperators ? 'warn' : 'debug']('a transport refused a mail', about)
      // After an unknown outcome another transport could double the mail; after a bounce it could only repeat the bounce.
      if (!isLast && causeOf(answer) !== 'recipient') return false
    } else if (answer.outcome === 'accepted') {
      this.kit.log.debug('a mail was handed over', { transport: line.name, email: mail.id, response: answer.response })
    }
    await task.conclude(mail, line.name, answer)
    return true
  }

  async #send(line: TransportLine, mail: OutgoingMail): Promise<Answer> {
    const deadline = this.#deadlines.start()
    const lost = deadline.lost.then(() => Promise.reject(new Error('the transport did not answer in time')))
    try {
      return checkedAnswer(await Promise.race([line.transport.send(mail, deadline.signal), lost]))
    } catch (error) {
      this.kit.log.warn('the outcome of a try is unknown', { transport: line.name, email: mail.id, error })
      return { outcome: 'unknown', reason: textOf(error) }
    } finally {
      deadline.end()
    }
  }
}
