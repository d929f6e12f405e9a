import { Worker } from 'node:worker_threads'
import { bytesOf, KEPT, KEPT_BYTES, type MailPieces } from '../../mail/compiled-mail.ts'
import type { SigningKey } from '../../mail/dkim/sign-message.ts'
import type { MailToFill } from '../../mail/email.ts'
import type { Log } from '../../ports/log.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import { RecentlyUsed } from '../../values/recently-used.ts'
import { errorOf, NO_FLAGS } from '../../work/thread.ts'
import type { Sent } from '../hand-over.ts'
import {
  type FromThread,
  ownerOf,
  type SendingThreadData,
  type ThreadTransport,
  type ToThread,
} from './sending-message.ts'

/** How much memory a thread may have, in megabytes. */
const MEMORY_MB = 1024
/** How much of it for what is soon garbage: with 16 MB collecting it took a sixth of the thread's time. */
const YOUNG_MB = 48
/** How many owners of keys are known to a thread. */
const MAX_OWNERS = 10_000
/** How long a thread may take to start, in milliseconds. */
const START_MS = 30_000
/** How long a thread may take to hear that a mail is aborted, in milliseconds. */
const HANG_MS = 5_000
/** How long a thread may take to close its connections, in milliseconds. */
const CLOSE_MS = 5_000

/** Threads cannot send; nothing was handed over. */
export class ThreadUnusable extends Error {}

/** The mail could not be made. */
export class MadeNothing extends Error {
  constructor(
    cause: Error,
    /** It took too long for a thread that sends. */
    readonly isSlow: boolean,
  ) {
    super(cause.message, { cause })
  }
}

/** A mail for a thread. */
export interface ThreadOrder extends MailPieces {
  /** Its key. */
  readonly transport: string
  readonly email: MailToFill
  readonly content: MailContent
  readonly date: Date
  readonly unwanted: ReadonlySet<string>
  /** The author's domain, and the keys that sign for it. */
  readonly domain: string
  readonly keys: readonly SigningKey[]
}

interface Running {
  readonly made: PromiseWithResolvers<Sent>
  readonly signal: AbortSignal
  readonly to: string
  abort(): void
}

/** This side of one thread that sends. It is started again when it has died, and does not keep the process alive. */
export class SendingThread {
  #data: SendingThreadData
  readonly #log: Log
  readonly #startMs: number
  #worker: Worker | undefined
  readonly #started = Promise.withResolvers<void>()
  /** Set when it can never send. */
  #unusable: ThreadUnusable | undefined
  #isReady = false
  #isClosed = false
  #number = 0
  #heard = 0
  readonly #running = new Map<number, Running>()
  #messages: ToThread[] = []
  /** The contents and keys that the thread has. */
  #contents = this.#noContents()
  readonly #keys = new Map<string, readonly SigningKey[]>()
  #late: NodeJS.Timeout | undefined
  #hanging: NodeJS.Timeout | undefined

  constructor(data: SendingThreadData, log: Log, startMs = START_MS) {
    this.#data = data
    this.#log = log
    this.#startMs = startMs
  }

  /** How many mails it has in hand. */
  get inFlight(): number {
    return this.#running.size
  }

  /** Answers when it can send, or never will. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  /** Why it cannot send; undefined while it may. */
  get unusable(): ThreadUnusable | undefined {
    return this.#unusable
  }

  start(): void {
    if (this.#worker || this.#isClosed || this.#unusable) return
    this.#isReady = false
    const worker = new Worker(new URL('./sending-thread.ts', import.meta.url), {
      name: 'mailwright-sending',
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      execArgv: NO_FLAGS,
    })
    this.#worker = worker
    worker.unref()
    worker.on('message', (news: readonly FromThread[]) => {
      this.#heard++
      for (const each of news) this.#learn(each)
    })
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    const late = new ThreadUnusable(`a thread that sends did not start within ${this.#startMs / 1000} seconds`)
    this.#late = setTimeout(() => this.#giveUp(late), this.#startMs).unref()
    worker.on('exit', () => this.#died(worker, cause))
  }

  /** Has it open one more transport. Mails for it may come at once. */
  open(transport: ThreadTransport): void {
    this.#data = { ...this.#data, transports: [...this.#data.transports, transport] }
    if (this.#worker) this.#post({ do: 'open transport', transport })
  }

  /** Has it close a transport that has no mail in hand. */
  forget(key: string): void {
    this.#data = { ...this.#data, transports: this.#data.transports.filter((each) => each.key !== key) }
    if (this.#worker) this.#post({ do: 'close transport', key })
  }

  /**
   * Answers when the mail is made and its transport has answered. Rejects with MadeNothing, or ThreadUnusable: then
   * nothing was handed over.
   */
  send(order: ThreadOrder, signal: AbortSignal): Promise<Sent> {
    const unusable = this.#unusable ?? (this.#isClosed ? new ThreadUnusable('the threads are closed') : undefined)
    if (unusable) return Promise.reject(unusable)
    this.start()
    const number = ++this.#number
    const abort = () => this.#abort(number)
    const running = { made: Promise.withResolvers<Sent>(), signal, to: order.email.to, abort }
    this.#running.set(number, running)
    signal.addEventListener('abort', abort, { once: true })
    const isNew = this.#contents.get(order.content.id) === undefined
    if (isNew) this.#post({ do: 'keep content', content: order.content })
    this.#keepKeys(ownerOf(order.email.projectId, order.domain), order.keys)
    const { transport, email, content, date, unwanted, ways, made } = order
    this.#post({
      do: 'send',
      number,
      transport,
      contentId: content.id,
      email: toFill(email),
      date,
      ways,
      ...(unwanted.size === 0 ? {} : { unwanted }),
      ...(made === undefined ? {} : { made }),
    })
    // last, since it may drop this very content, when that is too large to be kept
    if (isNew) this.#contents.set(content.id, bytesOf(content))
    return running.made.promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    this.#post({ do: 'close' })
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS)
    await ended
    clearTimeout(timer)
  }

  /** A thread that does not even hear this hangs, and is ended. */
  #abort(number: number): void {
    this.#post({ do: 'abort', number })
    if (this.#hanging) return
    const [worker, heard] = [this.#worker, this.#heard]
    this.#hanging = setTimeout(() => {
      this.#hanging = undefined
      if (this.#heard === heard && worker === this.#worker) void worker?.terminate()
    }, HANG_MS).unref()
  }

  /** Messages go together, once the event loop has done what it has in hand: each costs more than what it carries. */
  #post(message: ToThread): void {
    this.#messages.push(message)
    if (this.#messages.length > 1) return
    setImmediate(() => {
      const messages = this.#messages
      this.#messages = []
      this.#worker?.postMessage(messages)
    })
  }

  /** A content goes to the thread once; those unused for longest are forgotten. */
  #noContents(): RecentlyUsed<number> {
    const forget = (contentId: string) => this.#post({ do: 'forget content', contentId })
    return new RecentlyUsed(KEPT, KEPT_BYTES, (_id, bytes) => bytes, forget)
  }

  #keepKeys(owner: string, keys: readonly SigningKey[]): void {
    const known = this.#keys.get(owner) ?? NONE
    if (known.length === keys.length && known.every((key, i) => isSame(key, keys[i]))) return
    if (this.#keys.size >= MAX_OWNERS) {
      this.#keys.clear()
      this.#post({ do: 'forget keys' })
    }
    this.#keys.set(owner, keys)
    this.#post({ do: 'keep keys', owner, keys })
  }

  #learn(news: FromThread): void {
    switch (news.it) {
      case 'is ready':
        this.#isReady = true
        clearTimeout(this.#late)
        this.#started.resolve()
        break
      case 'failed':
        this.#giveUp(new ThreadUnusable(news.reason))
        break
      case 'logs':
        this.#log[news.level](news.message, news.fields)
        break
      case 'sent': {
        const { subject, recipients, answer } = news
        this.#take(news.number)?.resolve({ subject, recipients, answer: Promise.resolve(answer) })
        break
      }
      case 'knows nothing': {
        const { subject, recipients, reason, conversation } = news
        const error = Object.assign(new Error(reason), { conversation })
        this.#take(news.number)?.resolve({ subject, recipients, answer: rejected(error) })
        break
      }
      case 'made nothing':
        this.#take(news.number)?.reject(new MadeNothing(errorOf(news.problem), news.isSlow))
    }
  }

  #take(number: number): Running['made'] | undefined {
    const running = this.#running.get(number)
    if (!running) return undefined
    this.#running.delete(number)
    running.signal.removeEventListener('abort', running.abort)
    return running.made
  }

  /** It is unknown what became of the mails that a dead thread had in hand. */
  #died(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return
    clearTimeout(this.#late)
    this.#worker = undefined
    if (this.#unusable) return
    this.#contents = this.#noContents()
    this.#keys.clear()
    this.#messages = []
    if (!this.#isReady) {
      this.#giveUp(new ThreadUnusable('a thread that sends could not be started', { cause }))
      return
    }
    if (!this.#isClosed) this.#log.error('a thread that sends has ended; another is started', { error: cause })
    const lost = new Error('the thread that sent it has ended', { cause })
    for (const number of [...this.#running.keys()]) {
      const to = this.#running.get(number)?.to ?? ''
      this.#take(number)?.resolve({ subject: '', recipients: [to], answer: rejected(lost) })
    }
  }

  #giveUp(error: ThreadUnusable): void {
    this.#unusable = error
    this.#started.resolve()
    void this.#worker?.terminate()
    for (const number of [...this.#running.keys()]) this.#take(number)?.reject(error)
  }
}

const NONE: readonly SigningKey[] = []

function isSame(one: SigningKey, other: SigningKey | undefined): boolean {
  return one.privateKey === other?.privateKey && one.selector === other.selector && one.domain === other.domain
}

/** A rejection that does not crash the process when it is not awaited. */
function rejected(error: Error): Promise<never> {
  const answer = Promise.reject(error)
  answer.catch(() => {})
  return answer
}

/** Copying a message costs for each field, so it has only those that are filled in. */
function toFill(email: MailToFill): MailToFill {
  const { id, projectId, contactId, to, toName, sourceType, templateId, campaignId } = email
  const { variables, tags, accepted, redactedAt, tracking } = email
  return {
    id,
    projectId,
    to,
    sourceType,
    variables,
    tags,
    accepted,
    ...(contactId === undefined ? {} : { contactId }),
    ...(toName === undefined ? {} : { toName }),
    ...(templateId === undefined ? {} : { templateId }),
    ...(campaignId === undefined ? {} : { campaignId }),
    ...(redactedAt === undefined ? {} : { redactedAt }),
    ...(tracking === undefined ? {} : { tracking }),
  }
}
