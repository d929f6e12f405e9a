import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { DomainKeys } from '../../mail/dkim/domain-keys.ts'
import type { LinkSettings } from '../../mail/links/links.ts'
import type { NamedTransport } from '../../ports/mail-transport.ts'
import { domainOf } from '../../values/email-address.ts'
import { handOver, type MailOrder, type Sent } from '../hand-over.ts'
import type { ThreadTransport } from './sending-message.ts'
import { MadeNothing, SendingThread, ThreadUnusable } from './sending-thread-port.ts'

/** As `handOver`, in a thread. */
export type SendInThread = (order: MailOrder, signal: AbortSignal) => Promise<Sent>

/**
 * The threads that make mails, sign them and hand them over, each on its own connections: so sending uses more than one
 * core, and the event loop stays free for requests. Only transports whose plugin says where a thread finds it are used
 * there; the others, and all when a thread cannot be started, send from here.
 */
export class SendingThreads {
  readonly #threads: SendingThread[] = []
  readonly #transports = new Map<NamedTransport, ThreadTransport>()
  readonly #count: number
  #opened = 0
  #isStarted = false
  #isUsable: boolean
  #starting: Promise<void> | undefined

  constructor(
    private readonly links: LinkSettings,
    private readonly domainKeys: DomainKeys,
    private readonly kit: Kit,
  ) {
    const cores = navigator.hardwareConcurrency
    this.#count = kit.settings.delivery.threads ?? (cores > 2 ? cores - 1 : 0)
    this.#isUsable = this.#count > 0
  }

  /** Starts the threads, as soon as there is a transport for them. */
  start(): void {
    this.#isStarted = true
    if (this.#threads.length > 0) this.#start()
  }

  #start(): void {
    for (const thread of this.#threads) thread.start()
    this.#starting = Promise.all(this.#threads.map(({ started }) => started)).then(() => {
      this.#starting = undefined
      const unusable = this.#threads.map((thread) => thread.unusable).find((each) => each !== undefined)
      if (unusable) this.#doWithout(unusable)
    })
  }

  /**
   * Has each thread open the transport. Answers what makes mails there and hands them over; undefined when it can only be
   * used from here.
   */
  open(named: NamedTransport): SendInThread | undefined {
    const { name, inThread, transport } = named
    if (!inThread || !this.#isUsable) return undefined
    const known = { name, key: `${name} ${++this.#opened}`, ...inThread }
    this.#transports.set(named, known)
    if (this.#threads.length > 0) for (const thread of this.#threads) thread.open(known)
    else this.#make()
    return async (order, signal) => {
      if (!this.#isUsable) return handOver(transport, order, signal)
      try {
        return await this.#send(known.key, order, signal)
      } catch (error) {
        if (!(error instanceof ThreadUnusable)) throw error
        this.#doWithout(error)
        return handOver(transport, order, signal)
      }
    }
  }

  /** Has each thread close the transport, which has no mail in hand any more. */
  forget(named: NamedTransport): void {
    const known = this.#transports.get(named)
    this.#transports.delete(named)
    if (known) for (const thread of this.#threads) thread.forget(known.key)
  }

  #make(): void {
    const { publicUrl, secret } = this.links
    const transports = [...this.#transports.values()]
    const data = { ...(publicUrl === undefined ? {} : { publicUrl }), secret, transports }
    for (let i = 0; i < this.#count; i++) this.#threads.push(new SendingThread(data, this.kit.log))
    if (this.#isStarted) this.#start()
  }

  /** Answers when the threads can send, so that no mail is claimed before; undefined when they can. */
  ready(): Promise<void> | undefined {
    return this.#starting
  }

  /** Closes the threads' connections and ends them, after the last mail. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #doWithout(error: ThreadUnusable): void {
    if (this.#isUsable) this.kit.log.error('threads cannot send: mail is sent without them', { error })
    this.#isUsable = false
  }

  async #send(transport: string, { email, mail, date, unwanted }: MailOrder, signal: AbortSignal): Promise<Sent> {
    const { content } = mail
    const domain = domainOf(content.from.email)
    const keys = await this.domainKeys.keysFor(domain, email.projectId)
    for (;;) {
      const pieces = await mail.parts(email, date, unwanted)
      const order = { transport, email, content, date, unwanted, domain, keys, ...pieces }
      try {
        return await this.#leastBusy().send(order, signal)
      } catch (error) {
        if (!(error instanceof MadeNothing)) throw error
        if (!error.isSlow || pieces.made) throw EngineError.is(error.cause) ? error.cause : error
        mail.foundHeavy()
      }
    }
  }

  #leastBusy(): SendingThread {
    return this.#threads.reduce((least, each) => (each.inFlight < least.inFlight ? each : least))
  }
}
