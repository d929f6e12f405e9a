import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, connectionConfig } from './connection.ts'

/** How often the lock is asked for, and asked whether it is still there, in milliseconds. */
const BEAT_MS = 1_000
/** An answer that takes longer is none: the holder counts the lock as lost, in milliseconds. */
const ANSWER_MS = 5_000

/**
 * What the server does about a client that says nothing any more: it asks for a sign of life after 10 s of silence, and
 * after three questions, 5 s apart, it ends the session and frees the lock. That is long after the client itself, which
 * waits `ANSWER_MS`, has stopped acting.
 */
const KEEP_ALIVE = [
  ...['set tcp_keepalives_idle = 10', 'set tcp_keepalives_interval = 5', 'set tcp_keepalives_count = 3'],
  'set tcp_user_timeout = 25000',
].join('; ')

/** Which lock, and whom to tell of it. */
export interface LockSettings {
  /** What `pg_stat_activity` calls the connection. */
  readonly name: string
  /** Takes the lock, or not, and answers one row: whether this session `held` it then. */
  readonly take: pg.QueryConfig
  /** As `take`, while it is held. Without it any answer of the session proves that it is. */
  readonly keep?: pg.QueryConfig
  /** Hears of every change. An error tells why a session could not be had. */
  readonly changed: (now: 'held' | 'lost' | 'away', error?: unknown) => void
}

/** The session that has the lock, or waits for it. */
interface Session {
  readonly client: pg.Client
  /** Aborted when the session has ended, however that came about. */
  readonly ended: AbortController
  holds: boolean
  /** The sign of life that was asked for and has not come yet. */
  asked?: Promise<unknown> | undefined
}

/**
 * An advisory lock of PostgreSQL on a connection of its own, tried for and kept for as long as it takes: it goes with
 * the session, so it is free as soon as the server sees the holder's connection end, which is at once when the process
 * dies. A process that only stands still keeps it.
 */
export class SessionLock {
  /** Before the last question that was answered while the lock was held, as `performance.now()` counts. */
  heldAt = Number.NEGATIVE_INFINITY
  /** Counts the sessions there were. */
  sessions = 0
  readonly #connection: ConnectionOptions
  readonly #settings: LockSettings
  readonly #stopping = new AbortController()
  #session: Session | undefined
  #striving: Promise<void> | undefined

  constructor(connection: ConnectionOptions, settings: LockSettings) {
    this.#connection = connection
    this.#settings = settings
  }

  /** True while there is a session, whether or not it has the lock. */
  get isConnected(): boolean {
    return this.#session !== undefined && !this.#session.ended.signal.aborted
  }

  /** Begins to try for the lock; answers when it was asked for once. */
  async begin(): Promise<void> {
    const first = await this.#open().catch((error) => void this.#settings.changed('away', error))
    this.#striving = this.#keepTrying(first)
  }

  /** Asks whether the lock is held now: a signal that is aborted when it no longer is, or undefined. */
  async confirm(): Promise<AbortSignal | undefined> {
    const session = this.#session
    if (!session?.holds) return undefined
    try {
      // A session that answers still has its lock; after a long sleep of the machine only asking tells.
      await this.#signOfLife(session)
    } catch {
      session.ended.abort()
    }
    return session.ended.signal.aborted ? undefined : session.ended.signal
  }

  /** Gives the lock up. */
  async end(): Promise<void> {
    this.#stopping.abort()
    this.#session?.ended.abort()
    await this.#striving
  }

  async #keepTrying(first: Session | undefined): Promise<void> {
    let session = first
    while (!this.#stopping.signal.aborted) {
      try {
        session ??= await this.#open()
        while (await this.#beat(session)) await pauseUntil(session.ended.signal)
      } catch (error) {
        this.#settings.changed('away', error)
      }
      if (session?.holds && !this.#stopping.signal.aborted) this.#settings.changed('lost')
      await this.#close(session)
      session = undefined
      await pauseUntil(this.#stopping.signal)
    }
    await this.#close(session)
  }

  /** Asks for the lock, or whether it is there. False when the session has ended or the stop has come. */
  async #beat(session: Session): Promise<boolean> {
    if (session.ended.signal.aborted || this.#stopping.signal.aborted) return false
    if (session.holds) await this.#signOfLife(session)
    else await this.#ask(session)
    return true
  }

  async #ask(session: Session): Promise<void> {
    const before = performance.now()
    const { rows } = await session.client.query<{ held: boolean }>(this.#settings.take)
    session.holds = rows[0]?.held === true
    if (!session.holds) return
    this.heldAt = before
    this.#settings.changed('held')
  }

  /** Answers when the session does. Those who ask at the same time share one question: a client takes one at a time. */
  async #signOfLife(session: Session): Promise<void> {
    const before = performance.now()
    session.asked ??= this.#askAgain(session, before).finally(() => {
      session.asked = undefined
    })
    await session.asked
  }

  async #askAgain(session: Session, before: number): Promise<void> {
    const { keep } = this.#settings
    const { rows } = await session.client.query<{ held?: boolean }>(keep ?? { text: 'select 1' })
    if (keep && rows[0]?.held !== true) throw new Error('the lock is gone')
    this.heldAt = before
  }

  /** Connects and asks for the lock for the first time. */
  async #open(): Promise<Session> {
    const config = connectionConfig(this.#connection, this.#settings.name)
    const client = new pg.Client({ ...config, query_timeout: ANSWER_MS })
    const session = { client, ended: new AbortController(), holds: false }
    client.on('error', () => session.ended.abort())
    client.on('end', () => session.ended.abort())
    try {
      await client.connect()
      await client.query(KEEP_ALIVE)
      await this.#ask(session)
      this.#session = session
      this.sessions++
      return session
    } catch (error) {
      await this.#close(session)
      throw error
    }
  }

  async #close(session: Session | undefined): Promise<void> {
    if (session === undefined) return
    session.ended.abort()
    if (this.#session === session) this.#session = undefined
    // Through a line that is cut nobody says goodbye.
    await Promise.race([session.client.end().catch(() => {}), pause(BEAT_MS, undefined, { ref: false })])
  }
}

/** Waits for a beat's length, or until this is aborted. */
async function pauseUntil(ended: AbortSignal): Promise<void> {
  await pause(BEAT_MS, undefined, { signal: ended }).catch(() => {})
}
