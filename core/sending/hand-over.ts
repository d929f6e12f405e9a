import PQueue from 'p-queue'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { MailTransports, type NamedTransport, type OutgoingMail } from '../ports/mail-transport.ts'
import { LANES, type Lane } from '../ports/queue.ts'
import { type EngineValues, Values } from '../settings.ts'
import { Deadlines } from './deadlines.ts'
import { causeOf } from './refusal.ts'
import { type Answer, checkedAnswer, textOf } from './send-answer.ts'

/** After so many failures to connect in a row a transport is left out for a while, as long as there is another. */
const FAILURES = 3
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** While it cannot be reached this is said so often, not with each mail. */
const SAY_AGAIN_MS = 60_000

/** One mail's way through a transport's slot. */
export interface Passage {
  /** Called when a slot is free: the mail, or undefined when there is nothing to send after all. */
  prepare(): Promise<OutgoingMail | undefined>
  /** Called with the answer; the slot stays taken until the promise resolves. */
  conclude(mail: OutgoingMail, transport: string, answer: Answer): Promise<void>
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
    const limits = values.delivery.throttle.transports
    this.#lines = transports.map((named) => new Line(named, limits[named.name] ?? {}))
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

  /** Answers when so little of this lane waits for the transport that is tried first that it can do with more. */
  async room(lane: Lane): Promise<void> {
    for (let [first] = this.#route(); first && !first.hasRoom(lane); [first] = this.#route()) await first.change()
  }

  /** Answers when the mail's result is concluded or there was nothing to send. Throws what `passage` throws. */
  async pass(lane: Lane, passage: Passage): Promise<void> {
    const route = this.#route()
    for (const [i, line] of route.entries()) {
      const isLast = i === route.length - 1
      if (await line.pass(lane, () => this.#throughSlot(line, isLast, passage))) return
    }
  }

  /** Gives up every try under way when the signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    return this.#deadlines.follow(signal)
  }

  /** The transports in their order, without those that cannot be reached just now unless none can. */
  #route(): readonly Line[] {
    const reachable = this.#lines.filter((line) => !line.isDown)
    return reachable.length > 0 ? reachable : this.#lines
  }

  /** False when the next transport should be tried. */
  async #throughSlot(line: Line, isLast: boolean, passage: Passage): Promise<boolean> {
    const mail = await passage.prepare()
    if (!mail) return true
    const answer = await this.#send(line, mail)
    const isUnreachable = answer.outcome === 'refused' && answer.stage === 'connect'
    if (!isUnreachable && answer.outcome !== 'unknown') line.reachedAt = performance.now()
    const news = line.note(isUnreachable)
    if (news === 'reached again') this.kit.log.info('a transport can be reached again', { transport: line.name })
    if (answer.outcome === 'refused') {
      const { stage, reason } = answer
      // what concerns one recipient stands in the ledger; a large mailing would fill the log with it
      const isForOperators = stage === 'connect' ? news === 'unreachable' : causeOf(answer) === 'sender'
      const about = { transport: line.name, email: mail.id, stage, reason }
      this.kit.log[isForOperators ? 'warn' : 'debug']('a transport refused a mail', about)
      // After an unknown outcome another transport could double the mail; after a bounce it could only repeat it.
      if (!isLast && causeOf(answer) !== 'recipient') return false
    } else if (answer.outcome === 'accepted') {
      this.kit.log.debug('a mail was handed over', { transport: line.name, email: mail.id, response: answer.response })
    }
    await passage.conclude(mail, line.name, answer)
    return true
  }

  async #send(line: Line, mail: OutgoingMail): Promise<Answer> {
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

type LineLimits = EngineValues['delivery']['throttle']['transports'][string]

/** Windows of a tenth of a second or of one mail, whichever is longer: the fewer mails in one, the more even the flow. */
function windows(perSecond: number): { readonly interval: number; readonly intervalCap: number } {
  const intervalCap = Math.max(1, Math.floor(perSecond / 10))
  return { interval: (intervalCap / perSecond) * 1000, intervalCap }
}

/** A transport with its slots and those who wait for one. */
class Line {
  readonly name: string
  readonly transport: NamedTransport['transport']
  readonly slots: PQueue
  reachedAt: number | undefined
  readonly #concurrency: number
  readonly #waiting: Record<Lane, number> = { transactional: 0, workflow: 0, campaign: 0 }
  readonly #watching: (() => void)[] = []
  #failures = 0
  #downUntil = 0
  #isSaidDown = false
  #saidAt = Number.NEGATIVE_INFINITY

  constructor({ name, transport }: NamedTransport, { connections = Number.POSITIVE_INFINITY, perSecond }: LineLimits) {
    this.name = name
    this.transport = transport
    this.#concurrency = Math.min(transport.concurrency, connections)
    this.slots = new PQueue({ concurrency: this.#concurrency, ...(perSecond === undefined ? {} : windows(perSecond)) })
  }

  get isDown(): boolean {
    return performance.now() < this.#downUntil
  }

  hasRoom(lane: Lane): boolean {
    return this.#waiting[lane] < this.#concurrency
  }

  /** Answers when one of those who wait has got its slot. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#watching.push(resolve))
  }

  async pass(lane: Lane, through: () => Promise<boolean>): Promise<boolean> {
    this.#waiting[lane]++
    const priority = LANES.length - LANES.indexOf(lane)
    return this.slots.add(
      () => {
        this.#waiting[lane]--
        for (const look of this.#watching.splice(0)) look()
        return through()
      },
      { priority },
    )
  }

  /** Notes whether it could be reached. Answers what is worth saying of it now. */
  note(isUnreachable: boolean): 'unreachable' | 'reached again' | undefined {
    const now = performance.now()
    this.#failures = isUnreachable ? this.#failures + 1 : 0
    if (this.#failures >= FAILURES) {
      this.#downUntil = now + Math.min(PAUSE_MS * 2 ** (this.#failures - FAILURES), LONGEST_PAUSE_MS)
    }
    if (isUnreachable ? now - this.#saidAt < SAY_AGAIN_MS : !this.#isSaidDown) return undefined
    this.#isSaidDown = isUnreachable
    if (isUnreachable) this.#saidAt = now
    return isUnreachable ? 'unreachable' : 'reached again'
  }
}
