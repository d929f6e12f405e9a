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
  readonly #transports: readonly ThreadTransport[]
  #isUsable: boolean
  #starting: Promise<void> | undefined

  constructor(
    transports: readonly NamedTransport[],
    { publicUrl, secret }: LinkSettings,
    private readonly domainKeys: DomainKeys,
    private readonly kit: Kit,
  ) {
    this.#transports = transports.flatMap(({ name, inThread }) => (inThread ? [{ name, ...inThread }] : []))
    const cores = navigator.hardwareConcurrency
    const count = kit.settings.delivery.threads ?? (cores > 2 ? cores - 1 : 0)
    this.#isUsable = this.#transports.length > 0 && count > 0
    const data = { ...(publicUrl === undefined ? {} : { publicUrl }), secret, transports: this.#transports }
    for (let i = 0; this.#isUsable && i < count; i++) this.#threads.push(new SendingThread(data, kit.log))
  }

  /** Starts the threads. */
  start(): void {
    for (const thread of this.#threads) thread.start()
    this.#starting = Promise.all(this.#threads.map(({ started }) => started)).then(() => {
      this.#starting = undefined
      const unusable = this.#threads.map((thread) => thread.unusable).find((each) => each !== undefined)
      if (unusable) this.#doWithout(unusable)
    })
  }

  /** Answers when the threads can send, so that no mail is claimed before; undefined when they can. */
  ready(): Promise<void> | undefined {
    return this.#starting
  }

  /** Makes mails in a thread and hands them to this transport there; undefined when it can only be used from here. */
  of({ name, transport }: NamedTransport): SendInThread | undefined {
    if (!this.#isUsable || !this.#transports.some((each) => each.name === name)) return undefined
    return async (order, signal) => {
      if (!this.#isUsable) return handOver(transport, order, signal)
      try {
        return await this.#send(name, order, signal)
      } catch (error) {
        if (!(error instanceof ThreadUnusable)) throw error
        this.#doWithout(error)
        return handOver(transport, order, signal)
      }
    }
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
