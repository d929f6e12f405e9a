import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { type ConnectionOptions, connectionConfig } from '../kit/postgres/connection.ts'
import type { Leadership } from '../kit/schedule/cron-scheduler.ts'

/** How often the lock is asked for, and asked whether it is still there, in milliseconds. */
const BEAT_MS = 1_000
/** An answer that takes longer is none: the leader stops acting, in milliseconds. */
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

/** The session that has the lock, or waits for it. */
interface Session {
  readonly client: pg.Client
  /** Aborted when the session has ended, however that came about. */
  readonly ended: AbortController
  leads: boolean
  /** The sign of life that was asked for and has not come yet. */
  asked?: Promise<unknown> | undefined
}

/**
 * Leadership by an advisory lock of PostgreSQL on a connection of its own: the lock goes with the session, so it is
 * free as soon as the server sees the leader's connection end, which is at once when the process dies.
 */
export class LeaderLock implements Leadership {
  readonly #connection: ConnectionOptions
  readonly #name: string
  readonly #log: Log
  readonly #stopping = new AbortController()
  #session: Session | undefined
  #striving: Promise<void> | undefined

  constructor(connection: ConnectionOptions, name: string, log: Log) {
    this.#connection = connection
    this.#name = name
    this.#log = log
  }

  async strive(): Promise<void> {
    const first = await this.#open().catch(() => undefined)
    this.#striving = this.#keepTrying(first)
  }

  async confirm(): Promise<AbortSignal | undefined> {
    const session = this.#session
    if (!session?.leads) return undefined
    try {
      // A session that answers still has its lock; after a long sleep of the machine only asking tells.
      await signOfLife(session)
    } catch {
      session.ended.abort()
    }
    return session.ended.signal.aborted ? undefined : session.ended.signal
  }

  async check(): Promise<void> {
    if (this.#session === undefined || this.#session.ended.signal.aborted) {
      throw new EngineError('SERVICE_UNAVAILABLE', 'scheduler: it has lost its database and tries to reach it again')
    }
  }

  async resign(): Promise<void> {
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
        this.#log.debug('scheduler: its database does not answer', { error })
      }
      if (session?.leads && !this.#stopping.signal.aborted) {
        this.#log.warn('scheduler: it has lost its database; another process may lead now')
      }
      await this.#close(session)
      session = undefined
      await pauseUntil(this.#stopping.signal)
    }
    await this.#close(session)
  }

  /** Asks for the lock, or whether it is there. False when the session has ended or the stop has come. */
  async #beat(session: Session): Promise<boolean> {
    if (session.ended.signal.aborted || this.#stopping.signal.aborted) return false
    if (session.leads) await signOfLife(session)
    else await this.#ask(session)
    return true
  }

  async #ask(session: Session): Promise<void> {
    const { rows } = await session.client.query<{ leads: boolean }>(
      "select pg_try_advisory_lock(hashtext('mailwright scheduler'), hashtext($1)) as leads",
      [this.#name],
    )
    session.leads = rows[0]?.leads === true
    if (session.leads) this.#log.debug('scheduler: this process leads')
  }

  /** Connects and asks for the lock for the first time. */
  async #open(): Promise<Session> {
    const client = new pg.Client({
      ...connectionConfig(this.#connection, 'mailwright scheduler'),
      query_timeout: ANSWER_MS,
    })
    const session = { client, ended: new AbortController(), leads: false }
    client.on('error', () => session.ended.abort())
    client.on('end', () => session.ended.abort())
    try {
      await client.connect()
      await client.query(KEEP_ALIVE)
      await this.#ask(session)
      this.#session = session
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

/** Answers when the session does. Tasks that ask at the same time share one question: a client takes one at a time. */
async function signOfLife(session: Session): Promise<void> {
  session.asked ??= session.client.query('select 1').finally(() => {
    session.asked = undefined
  })
  await session.asked
}

/** Waits for a beat's length, or until this is aborted. */
async function pauseUntil(ended: AbortSignal): Promise<void> {
  await pause(BEAT_MS, undefined, { signal: ended }).catch(() => {})
}
