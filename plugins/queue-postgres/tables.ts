import { Logger, runMigrations } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Log } from '../../core/ports/log.ts'
import { LANES, type Lane } from '../../core/ports/queue.ts'

/** A job as stored, with few enough ids for two processes to share the work. */
export interface Row {
  readonly task: string
  readonly lane: Lane
  readonly ids: readonly string[]
  /** How many times these ids have failed. */
  readonly tries: number
  readonly notBefore?: Date
  /** Unique in a lane's tables, so it contains the task's name, too. */
  readonly key?: string
}

/** What graphile-worker hands to a task. */
export interface Payload {
  readonly ids: readonly string[]
  readonly tries: number
}

/** graphile-worker gives up a job after this many locks. We decide ourselves when to give up, see `HandlerRunner`. */
const MAX_ATTEMPTS = 32_767
/** The last time that PostgreSQL and ISO 8601 write alike. */
const LAST_MOMENT = Date.UTC(9999, 11, 31)
/** How many rows are read for the average of ids per row, and how many are counted at most. */
const SAMPLE_ROWS = 100
const MAX_COUNTED_ROWS = 5_000

/**
 * The queue's tables: those of graphile-worker, in one schema per lane. In shared tables, every look for a password
 * mail would read past all waiting rows of a campaign (41 ms with 50,000 of them); in its own, it reads one.
 */
export class Tables {
  readonly #pool: Pool
  readonly #prefix: string

  constructor(pool: Pool, prefix: string) {
    this.#pool = pool
    this.#prefix = prefix
  }

  schema(lane: Lane): string {
    return `${this.#prefix}_${lane}`
  }

  /** Makes the tables or updates them. Of several processes, one does it while the others wait. */
  async migrate(log: Log): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query('select pg_advisory_lock(hashtext($1))', [`mailwright queue ${this.#prefix}`])
      for (const lane of LANES) {
        await runMigrations({ pgPool: this.#pool, schema: this.schema(lane), logger: workerLogger(log) })
      }
    } finally {
      // Closing the connection is the sure way to release the lock.
      client.release(true)
    }
  }

  /** Writes all rows or none. A row with a key replaces one that nobody has fetched, in any lane. */
  async add(rows: readonly Row[]): Promise<void> {
    const columns: string[] = []
    const values: string[] = []
    const bind = (value: unknown) => `$${values.push(JSON.stringify(value))}::json`
    const lanes = LANES.filter((lane) => rows.some((row) => row.lane === lane))
    for (const lane of lanes) {
      const s = this.schema(lane)
      const specs = bind(rows.filter((row) => row.lane === lane).map(jobSpec))
      columns.push(
        `(select count(*) from ${s}.add_jobs(array(select json_populate_recordset(null::${s}.job_spec, ${specs}))))`,
      )
    }
    const keyed = rows.filter(({ key }) => key !== undefined)
    for (const lane of keyed.length > 0 ? LANES : []) {
      const elsewhere = bind(keyed.filter((row) => row.lane !== lane).map(({ key }) => key))
      const remove = `${this.schema(lane)}.remove_job(elsewhere.key)`
      columns.push(`(select count(${remove}) from json_array_elements_text(${elsewhere}) elsewhere(key))`)
    }
    // Named statements are planned once. With keys, there are too many variants and too few uses.
    const name = keyed.length > 0 ? {} : { name: `mailwright add ${lanes.join(' ')}` }
    await this.#pool.query({ text: `select ${columns.join(', ')}`, values, ...name })
  }

  /** About how many ids wait that nobody has fetched: exact up to 100 rows, then by their average. */
  async waiting(task: string | undefined): Promise<number> {
    const columns = LANES.map((lane) => {
      const due = `from ${this.schema(lane)}._private_jobs jobs where is_available and run_at <= now() and ($1::text is null
        or task_id = (select id from ${this.schema(lane)}._private_tasks where identifier = $1))`
      return `(select coalesce(avg(ids), 0) from (select json_array_length(payload->'ids') as ids ${due} limit ${SAMPLE_ROWS}) rows)
        * (select count(*) from (select 1 ${due} limit ${MAX_COUNTED_ROWS}) rows)`
    })
    const { rows } = await this.#pool.query<{ ids: number }>({
      name: 'mailwright waiting',
      text: `select round(${columns.join(' + ')})::int as ids`,
      values: [task],
    })
    return rows[0]?.ids ?? 0
  }

  /** Unlocks what these worker pools have locked. */
  async unlock(poolIds: readonly string[]): Promise<void> {
    for (const lane of LANES) {
      await this.#pool.query(`select ${this.schema(lane)}.force_unlock_workers($1::text[])`, [poolIds])
    }
  }
}

/** graphile-worker's messages help only in debugging. The queue logs what matters itself. */
export function workerLogger(log: Log): Logger {
  return new Logger(() => (level, message, fields) => {
    if (level === 'error' || level === 'warning')
      log.debug(`queue: graphile-worker: ${message}`, { error: fields.error })
  })
}

function jobSpec({ task, ids, tries, notBefore, key }: Row) {
  const payload: Payload = { ids, tries }
  return {
    identifier: task,
    payload,
    max_attempts: MAX_ATTEMPTS,
    ...(notBefore === undefined ? {} : { run_at: new Date(Math.min(notBefore.getTime(), LAST_MOMENT)) }),
    ...(key === undefined ? {} : { job_key: key }),
  }
}
