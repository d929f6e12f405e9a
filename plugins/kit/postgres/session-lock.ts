import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, connectionConfig } from './connection.ts'
import { isPooled } from './pooler.ts'

/** How often the lock is asked for, or checked, in milliseconds. */
const BEAT_MS = 1_000
/** How long an answer may take before the holder counts the lock as lost, in milliseconds. */
const ANSWER_MS = 5_000

/**
 * How the server treats a silent client: it probes after 10 s, three times, 5 s apart, then ends the session and frees
 * the lock. That is long after the client, which waits `ANSWER_MS`, has stopped acting.
 */
const KEEP_ALIVE = [
  ...['set tcp_keepalives_idle = 10', 'set tcp_keepalives_interval = 5', 'set tcp_keepalives_count = 3'],
  'set tcp_user_timeout = 25000',
].join('; ')

/**
 * Behind a pooler a lock belongs to a transaction that stays open: it keeps its connection to the server until the client has
 * gone, and holds up no vacuum, since it has neither a snapshot nor a change.
 */
const FOR_GOOD = 'begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0'

/** The functions of locks: `pg_try_advisory_lock` of a session, `pg_try_advisory_xact_lock` of a transaction. */
export type LockScope = 'lock' | 'xact_lock'

/** Which lock it is, and whom to tell about changes. */
export interface LockSettings {
  /** The connection's name in `pg_stat_activity`. */
  readonly name: string
  /** Tries to take the lock and answers one row: whether this session `held` it then. */
  readonly take: (scope: LockScope) => pg.QueryConfig
  /** Whether `take` is asked again while the lock is held. Otherwise any answer of the session proves that it is. */
  readonly isAskedAgain?: boolean
  /** A channel it listens to meanwhile, unless a pooler is in between. What is said while there is no session is missed. */
  readonly listen?: { readonly channel: string; readonly heard: (said: string) => void }
  /** Called on every change. The error says why there is no session. */
  readonly changed: (now: 'held' | 'lost' | 'away', error?: unknown) => void
}

/** The session that has the lock or waits for it. */
interface Session {
  readonly client: pg.Client
  scope: LockScope
  /** Aborted when the session has ended, for whatever reason. */
  readonly ended: AbortController
  holds: boolean
  /** The check that is under way. */
  asked?: Promise<unknown> | undefined
}

/**
 * A PostgreSQL advisory lock on its own connection, tried for until held and kept until given up. It belongs to the
 * session, so it is free as soon as the server sees the holder's connection end: at once when the process dies, but not
 * when it only hangs.
 */
export class SessionLock {
  /** The time, by `performance.now()`, before the last check that was answered while the lock was held. */
  heldAt = Number.NEGATIVE_INFINITY
  /** How many sessions there have been. */
  sessions = 0
  readonly #connection: ConnectionOptions
  readonly #settings: LockSettings
  readonly #stopping = new AbortController()
  #session: Session | undefined
  #trying: Promise<void> | undefined

  constructor(connection: ConnectionOptions, settings: LockSettings) {
    this.#connection = connection
    this.#settings = settings
  }

  /** True while there is a session, with or without the lock. */
  get isConnected(): boolean {
    return this.#session !== undefined && !this.#session.ended.signal.aborted
  }

  /** Starts trying for the lock. Answers after the first try. */
  async begin(): Promise<void> {
    const first = await this.#open().catch((error) => void this.#settings.changed('away', error))
    this.#trying = this.#keepTrying(first)
  }

  /** Checks whether the lock is held now. Answers a signal that aborts when it no longer is, or undefined. */
  async confirm(): Promise<AbortSignal | undefined> {
    const session = this.#session
    if (!session?.holds) return undefined
    try {
      // A session that answers still has its lock. After a long sleep of the machine, only asking tells.
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
    await this.#trying
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

  /** Asks for the lock, or checks it. False when the session has ended or the lock is given up. */
  async #beat(session: Session): Promise<boolean> {
    if (session.ended.signal.aborted || this.#stopping.signal.aborted) return false
    if (session.holds) await this.#signOfLife(session)
    else await this.#ask(session)
    return true
  }

  async #ask(session: Session): Promise<void> {
    const before = performance.now()
    const { rows } = await session.client.query<{ held: boolean }>(this.#settings.take(session.scope))
    session.holds = rows[0]?.held === true
    if (!session.holds) return
    this.heldAt = before
    this.#settings.changed('held')
  }

  /** Answers when the session does. Callers at the same time share one query, since a client runs one at a time. */
  async #signOfLife(session: Session): Promise<void> {
    const before = performance.now()
    session.asked ??= this.#askAgain(session, before).finally(() => {
      session.asked = undefined
    })
    await session.asked
  }

  async #askAgain(session: Session, before: number): Promise<void> {
    const { take, isAskedAgain } = this.#settings
    const asked = isAskedAgain ? take(session.scope) : { text: 'select true as held' }
    const { rows } = await session.client.query<{ held: boolean }>(asked)
    if (rows[0]?.held !== true) throw new Error('the lock is gone')
    this.heldAt = before
  }

  /** Connects and asks for the lock a first time. */
  async #open(): Promise<Session> {
    const config = connectionConfig(this.#connection, this.#settings.name)
    const client = new pg.Client({ ...config, query_timeout: ANSWER_MS })
    const session: Session = { client, scope: 'lock', ended: new AbortController(), holds: false }
    client.on('error', () => session.ended.abort())
    client.on('end', () => session.ended.abort())
    try {
      await client.connect()
      await this.#settle(session)
      await this.#ask(session)
      this.#session = session
      this.sessions++
      return session
    } catch (error) {
      await this.#close(session)
      throw error
    }
  }

  async #settle(session: Session): Promise<void> {
    const { client } = session
    if (await isPooled(client)) {
      session.scope = 'xact_lock'
      await client.query(FOR_GOOD)
      return
    }
    await client.query(KEEP_ALIVE)
    const { listen } = this.#settings
    if (listen === undefined) return
    client.on('notification', ({ payload = '' }) => listen.heard(payload))
    await client.query(`listen ${listen.channel}`)
  }

  async #close(session: Session | undefined): Promise<void> {
    if (session === undefined) return
    session.ended.abort()
    if (this.#session === session) this.#session = undefined
    // A cut connection is not closed by the other side.
    await Promise.race([session.client.end().catch(() => {}), pause(BEAT_MS, undefined, { ref: false })])
  }
}

/** Waits for one interval, or until the signal aborts. */
async function pauseUntil(ended: AbortSignal): Promise<void> {
  await pause(BEAT_MS, undefined, { signal: ended }).catch(() => {})
}
