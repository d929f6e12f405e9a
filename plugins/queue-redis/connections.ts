import { isIP } from 'node:net'
import { Redis } from 'ioredis'
import type { Log } from '../../core/ports/log.ts'
import { LATE, within } from '../../core/values/within.ts'
import { readRedisUrl } from './redis-url.ts'

/** How often it is asked whether Redis still answers, since a machine that vanishes ends no connection. */
const WATCH_MS = 5_000
/** Milliseconds before a lost Redis is tried again, at first and at most. */
const BACK_OFF = { first: 50, most: 2_000 }
/** How long the farewell may take. */
const FAREWELL_MS = 1_000
/** BullMQ wants this version, and ours are tried with 7.0. */
const OLDEST = [6, 2]

export interface RedisOptions {
  readonly url: string
  readonly prefix: string
  readonly tls: {
    readonly ca?: string | undefined
    readonly cert?: string | undefined
    readonly key?: string | undefined
    readonly rejectUnauthorized?: boolean | undefined
  }
  /** In seconds, as is the next. */
  readonly connectTimeout: number
  readonly answerTimeout: number
}

/** Redis refuses the options: the password, the database, the rights of the user. */
export class RedisRefused extends Error {}

interface Events {
  /** Commands are answered, for the first time or again. */
  isReady(): void
  /** A message has come. */
  hears(message: string): void
  /** Messages come from now on. What was said before has to be looked for. */
  canHear(): void
}

/** The connections of a process: one for commands, and one that listens in a process that works. */
export class RedisConnections {
  readonly client: Redis
  readonly #ears: Redis
  readonly #options: RedisOptions
  readonly #channel: string
  readonly #log: Log
  readonly #events: Events
  #lastError: Error | undefined
  /** Why messages are not passed on to us, though there is a connection. */
  #deaf: Error | undefined
  #watch: NodeJS.Timeout | undefined
  /** Whether messages are heard is known for the first time. */
  readonly #isTried = Promise.withResolvers<void>()
  #isListening = false
  #isLost = false
  #isExamined = false
  #isClosed = false

  constructor(options: RedisOptions, log: Log, events: Events) {
    this.#options = options
    this.#channel = `${options.prefix}:rings`
    this.#log = log
    this.#events = events
    this.client = new Redis(settingsOf(options, 'mailwright-queue'))
    this.#ears = new Redis(settingsOf(options, 'mailwright-queue-listener'))
    for (const each of [this.client, this.#ears]) {
      each.on('error', (error: Error) => {
        this.#lastError = error
        this.#failed(error)
      })
    }
    this.client.on('ready', () => this.#ready())
    this.client.on('close', () => this.#lose())
    this.#ears.on('message', (_channel: string, message: string) => events.hears(message))
    this.#ears.on('ready', () => void this.#subscribe())
  }

  /** Connects. One that cannot be reached is tried again until it is. Throws `RedisRefused` when it turns us away. */
  async open(): Promise<void> {
    try {
      await this.client.connect()
      await this.client.select(readRedisUrl(this.#options.url)?.db ?? 0)
    } catch (error) {
      const why = this.#lastError ?? (error as Error)
      if (isReply(why)) throw new RedisRefused(`Redis refuses it: ${why.message}`)
      this.#isLost = true
      this.#log.warn('queue: it cannot reach Redis and goes on trying; work is found by regular looks meanwhile', {
        error: withoutCommand(why),
      })
    }
    this.#watch = setInterval(() => void this.#isThere(), WATCH_MS).unref()
  }

  /** From now on messages are heard, whenever Redis can be reached. Resolves when it is so, or when it cannot be now. */
  async listen(): Promise<void> {
    if (!this.#isListening) this.#ears.connect().catch(() => this.#isTried.resolve())
    this.#isListening = true
    if (this.isReady) await this.#isTried.promise
  }

  get isReady(): boolean {
    return this.client.status === 'ready'
  }

  /** Throws when commands would only wait for a connection. */
  requireReady(): void {
    if (!this.isReady) throw this.#lastError ?? new Error('there is no connection to Redis')
  }

  /** Says it to all that listen. */
  say(message: string): void {
    this.client.publish(this.#channel, message).catch((error: Error) => this.#failed(error))
  }

  /** Rejects when Redis passes no messages on to a process that listens. */
  async checkEars(): Promise<void> {
    if (!this.#isListening) return
    if (this.#ears.status !== 'ready') throw this.#lastError ?? new Error('it cannot listen to Redis')
    if (this.#deaf) throw this.#deaf
    await this.#ears.ping()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#watch)
    const ends = [this.client, this.#ears].map(async (each) => {
      if (each.status === 'ready') await within(FAREWELL_MS, each.quit()).catch(() => LATE)
      each.disconnect()
    })
    await Promise.all(ends)
  }

  #ready(): void {
    if (this.#isLost) this.#log.info('queue: it works again')
    this.#isLost = false
    this.#lastError = undefined
    this.#events.isReady()
    if (!this.#isExamined) void this.#examine().catch((error: Error) => this.#failed(error))
  }

  #lose(): void {
    if (this.#isLost || this.#isClosed || this.#watch === undefined) return
    this.#isLost = true
    this.#log.warn('queue: it has lost Redis and tries to reach it again')
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#ears.subscribe(this.#channel)
      this.#deaf = undefined
      this.#events.canHear()
    } catch (error) {
      this.#deaf = error as Error
      this.#failed(this.#deaf)
    }
    this.#isTried.resolve()
  }

  /** Makes a connection anew that is open and does not answer. */
  async #isThere(): Promise<void> {
    for (const each of [this.client, this.#ears]) {
      if (each.status !== 'ready') continue
      const isSilent = await each.ping().then(
        () => false,
        (error: Error) => !isReply(error),
      )
      if (isSilent && !this.#isClosed) each.disconnect(true)
    }
    // the rights of the user may have been mended
    if (this.#deaf && this.#ears.status === 'ready') await this.#subscribe()
  }

  /** Warns of what is set up so that rings get lost. */
  async #examine(): Promise<void> {
    const info = await this.client.info()
    this.#isExamined = true
    const said = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim()
    const policy = said('maxmemory_policy')
    if (policy !== undefined && policy !== 'noeviction')
      this.#log.warn('queue: Redis may evict rings, whose work then waits; set its maxmemory-policy to noeviction', {
        policy,
      })
    const version = said('valkey_version') === undefined ? said('redis_version') : undefined
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
    const [oldest = 0, least = 0] = OLDEST
    if (version !== undefined && (major < oldest || (major === oldest && minor < least)))
      this.#log.warn(`queue: Redis is older than ${OLDEST.join('.')}, with which it may not work`, { version })
  }

  #failed(error: Error): void {
    this.#log.debug('queue: a connection to Redis failed', { error: withoutCommand(error) })
  }
}

/** An error of ioredis without the command, which may be the one with the password. */
export function withoutCommand(error: Error): Error {
  const plain = new Error(error.message)
  plain.name = error.name
  if (error.stack !== undefined) plain.stack = error.stack
  return plain
}

function settingsOf({ url, tls, connectTimeout, answerTimeout }: RedisOptions, connectionName: string) {
  const address = readRedisUrl(url)
  if (address === undefined) throw new TypeError('the URL of Redis cannot be read')
  const { host, port, username, password, db, isTls } = address
  return {
    host,
    port,
    db,
    connectionName,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: { ...tls, ...(isIP(host) === 0 ? { servername: host } : {}) } } : {}),
    lazyConnect: true,
    // it would read its version from a file
    disableClientInfo: true,
    keepAlive: 30_000,
    connectTimeout: connectTimeout * 1000,
    commandTimeout: answerTimeout * 1000,
    // a ring that cannot be made at once is lost: work is looked for anyway, and old rings would only come late
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    retryStrategy: (times: number) => Math.min(BACK_OFF.first * 2 ** Math.min(times, 10), BACK_OFF.most),
    // a primary that has become a replica: the name leads to another by now
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  }
}

function isReply(error: Error): boolean {
  return error.name === 'ReplyError'
}
