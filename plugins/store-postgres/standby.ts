import { setTimeout as pause } from 'node:timers/promises'
import pg, { type Client, type ClientConfig, type PoolClient } from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { logDeaths } from '../kit/postgres/connection.ts'
import { connected, Refusal, refused } from './connect.ts'
import { isLate, isLostRace, isUnavailable, postgresCode } from './postgres-error.ts'

/** How long a read waits for the standby to have what the primary had, in milliseconds. */
const PATIENCE_MS = 200
const LOOK_MS = 10
/** How long it may take to answer what costs it nothing. */
const ANSWER_MS = 2_000
/** How long a standby that cannot be used is left alone. */
const AWAY_MS = 5_000
/** The same for one that is behind. */
const BEHIND_MS = 1_000
/** Its troubles are logged once in this time. */
const WARN_MS = 60_000

export interface StandbyGiven {
  readonly config: ClientConfig
  /** The most connections. */
  readonly max: number
  /** How long a read may take, in seconds. */
  readonly readTimeoutSeconds: number
  /** SQL for the begin of each transaction. */
  readonly settings: string
  /** The primary's; undefined where its user may not ask for it. */
  readonly system: string | undefined
  readonly log: Log
}

/**
 * A standby that takes reads of many rows from the primary. A read sees all that was committed before it: it first waits until the
 * standby has it. Where that takes long, or the standby cannot be reached, the read goes to the primary.
 */
export class Standby {
  readonly #given: StandbyGiven
  readonly #pool: pg.Pool
  /** False once it was logged that it does not. */
  #isServing = true
  /** Until when the primary does its work, in milliseconds of `performance.now()`. */
  #leftUntil = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  private constructor(given: StandbyGiven) {
    this.#given = given
    const { config, max, readTimeoutSeconds } = given
    this.#pool = new pg.Pool({
      ...config,
      max,
      // one that has vanished from the network answers nothing, not even that a read took too long
      query_timeout: 1000 * readTimeoutSeconds + ANSWER_MS,
      onConnect: (client) => this.#recognise(client as Client),
    })
    logDeaths(this.#pool, given.log)
  }

  /**
   * Opens it. One that cannot be reached may come later. Throws EngineError `CONFIG_INVALID` when it cannot be used, or is no
   * standby of this primary.
   */
  static async open(given: StandbyGiven): Promise<Standby> {
    const standby = new Standby(given)
    try {
      await connected(given.config, 'readUrl', (client) => standby.#recognise(client))
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'SERVICE_UNAVAILABLE') {
        await standby.close()
        throw error
      }
      standby.#leave(AWAY_MS, error)
    }
    return standby
  }

  /**
   * Does the work in a transaction there; `position` asks for the primary's place in its log. Answers undefined when the primary
   * has to do it.
   */
  async scan<T>(
    position: () => Promise<string>,
    work: (client: PoolClient, settings: string) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    if (performance.now() < this.#leftUntil) return undefined
    const at = await position()
    let client: PoolClient | undefined
    let isBroken = false
    try {
      client = await this.#pool.connect()
      if (!(await hasReached(client, at))) return this.#leave(BEHIND_MS)
      const value = await work(client, this.#given.settings)
      if (!this.#isServing) this.#given.log.info('the standby of PostgreSQL takes reads again')
      this.#isServing = true
      return { value }
    } catch (error) {
      if (isLate(error)) throw error
      // it replays what this read would no longer see, and has ended the read
      if (isLostRace(error)) return undefined
      isBroken = isUnavailable(error) || error instanceof Refusal
      if (!isBroken) throw error
      return this.#leave(AWAY_MS, error)
    } finally {
      client?.release(isBroken)
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  /** A standby that comes and goes is not logged each time. */
  #leave(ms: number, error?: unknown): undefined {
    const now = performance.now()
    this.#leftUntil = now + ms
    if (now < this.#warnedAt + WARN_MS) return undefined
    this.#warnedAt = now
    this.#isServing = false
    const { log } = this.#given
    if (error === undefined) log.warn('the standby of PostgreSQL is behind: the primary takes its reads')
    else log.warn('the standby of PostgreSQL cannot be used: the primary takes its reads', { error })
    return undefined
  }

  /** Throws when the server of a new connection is no standby of the primary: it would answer with other rows. */
  async #recognise(client: Client): Promise<void> {
    const { rows } = await client.query('select pg_is_in_recovery() as "isStandby"')
    if (rows[0]?.isStandby !== true) throw refused(client, 'is no standby, but a server of its own')
    const system = await systemOf(client)
    if (system !== undefined && this.#given.system !== undefined && system !== this.#given.system)
      throw refused(client, 'is a standby of another server than that of the store')
  }
}

/** The number of the cluster, which a standby has from its primary; undefined where the user may not ask. */
export async function systemOf(client: Pick<Client, 'query'>): Promise<string | undefined> {
  try {
    const { rows } = await client.query('select "system_identifier"::text as "system" from pg_control_system()')
    return rows[0]?.system
  } catch (error) {
    if (postgresCode(error) === '42501') return undefined
    throw error
  }
}

async function hasReached(client: PoolClient, position: string): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS
  const text = 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "isThere"'
  const asked = { text, values: [position], query_timeout: ANSWER_MS }
  for (;;) {
    const { rows } = await client.query(asked)
    if (rows[0]?.isThere === true) return true
    if (performance.now() > until) return false
    await pause(LOOK_MS)
  }
}
