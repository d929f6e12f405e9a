import { randomInt } from 'node:crypto'
import type { Log } from '../../core/ports/log.ts'
import type { Leadership, Membership } from '../../core/ports/store/workers.ts'
import type { ConnectionOptions } from '../kit/postgres/connection.ts'
import { type LockScope, SessionLock } from '../kit/postgres/session-lock.ts'
import type { Database } from '../kit/sql/engine/access.ts'
import { hasEnded, ownProcess } from './own-process.ts'

/**
 * PostgreSQL's advisory locks are two numbers: this one stands for workers ("work" in ASCII),
 * the other for one of them.
 */
const WORKERS = 0x776f726b
/** Locks of workers, as `pg_locks` shows them. */
const OF_WORKERS = `locktype = 'advisory' and classid = ${WORKERS} and objsubid = 2 and granted
  and database = (select oid from pg_database where datname = current_database())`

/** Workers are sessions with a lock on their name, so that the server itself notices when one has ended. */
export class PostgresWorkers {
  readonly #connection: ConnectionOptions
  readonly #database: Database
  readonly #log: Log
  readonly #schema: string
  readonly #locks = new Set<SessionLock>()
  #heed = () => {}
  /** Told in the log, and not yet that it is over. A worker long cut off comes back under a new name. */
  #isLost = false

  /** The tables are in `schema`. */
  constructor(connection: ConnectionOptions, database: Database, schema: string, log: Log) {
    this.#connection = connection
    this.#schema = schema
    this.#database = database
    this.#log = log
  }

  async join(): Promise<Membership> {
    const number = randomInt(1, 2 ** 31)
    // Shared, so that a new session gets it at once while the server has not yet noticed the last one's end.
    const take = (scope: LockScope) => ({
      text: `select case when exists (select 1 from pg_locks where ${OF_WORKERS} and objid = $1::oid and pid = pg_backend_pid())
        then true else pg_try_advisory_${scope}_shared(${WORKERS}, $1::bigint::int) end as held`,
      values: [number],
    })
    const lock = new SessionLock(this.#connection, {
      name: 'mailwright worker',
      take,
      isAskedAgain: true,
      listen: { channel: 'mailwright_send', heard: (schema) => schema === this.#schema && this.#heed() },
      changed: (now, error) => {
        if (now === 'lost') this.#log.warn('this worker has lost its database and sends nothing before it is back')
        else if (now === 'held' && this.#isLost) this.#log.info('this worker has its database back and sends again')
        else this.#log.debug('the session that shows that this worker is alive', { state: now, error })
        if (now !== 'away') this.#isLost = now === 'lost'
      },
    })
    this.#locks.add(lock)
    await lock.begin()
    const process = ownProcess()
    return {
      name: String(number),
      ...(process === undefined ? {} : { process }),
      get seenAt() {
        return lock.heldAt
      },
      get session() {
        return lock.sessions
      },
      leave: () => this.#end(lock),
    }
  }

  async members(): Promise<ReadonlySet<string>> {
    const sql = `select distinct objid::text as "name" from pg_locks where ${OF_WORKERS}`
    const rows = await this.#database.read((session) => session.all(sql, []))
    return new Set(rows.map(({ name }) => String(name)))
  }

  heed(listener: () => void): void {
    this.#heed = listener
  }

  hasEnded(process: string): boolean {
    return hasEnded(process)
  }

  async lead(task: string): Promise<Leadership> {
    const lock = new SessionLock(this.#connection, {
      name: 'mailwright leader',
      take: (scope) => ({
        text: `select pg_try_advisory_${scope}(hashtext('mailwright leader'), hashtext($1)) as held`,
        values: [task],
      }),
      changed: (now, error) => this.#log.debug('the lock on a task', { task, state: now, error }),
    })
    this.#locks.add(lock)
    await lock.begin()
    return { confirm: () => lock.confirm(), release: () => this.#end(lock) }
  }

  /** Ends every membership and leadership. */
  async close(): Promise<void> {
    await Promise.all([...this.#locks].map((lock) => this.#end(lock)))
  }

  async #end(lock: SessionLock): Promise<void> {
    this.#locks.delete(lock)
    await lock.end()
  }
}
