import { AsyncLocalStorage } from 'node:async_hooks'
import { EngineError } from '../../../../core/errors.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access, Database, Joined } from './access.ts'
import type { Dialect } from './dialect.ts'
import type { Params, Row, Session } from './session.ts'
import type { StoredEvents } from './stored-events.ts'

/**
 * The access for everyone outside a transaction. Code inside a transaction that used it would wait for itself where
 * there is one connection, and miss its own writes where there are more, so it is refused.
 */
export class OutsideAccess implements Access {
  readonly dialect: Dialect
  readonly #database: Database
  readonly #stored: StoredEvents
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>()

  constructor(database: Database, stored: StoredEvents) {
    this.#stored = stored
    this.dialect = database.dialect
    this.#database = database
  }

  refuseNested(): void {
    if (this.#inside.getStore()?.open) {
      throw new EngineError('STORE_NESTED', 'The store was used inside its own transaction; use `tx` there.')
    }
  }

  async all(sql: string, params: Params): Promise<readonly Row[]> {
    this.refuseNested()
    return this.#database.read((session) => session.all(sql, params)).catch(this.#explained)
  }

  run(sql: string, params: Params): Promise<number> {
    return this.writeOnce((session) => session.run(sql, params))
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    return this.#database.read(work).catch(this.#explained)
  }

  async scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    return this.#database.scan(projectId, work).catch(this.#explained)
  }

  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    const written = this.#stored.isHeard
      ? this.#stored.committed((begin) => this.#database.write((session) => work(begin(session))))
      : this.#database.write(work)
    return written.catch(this.#explained)
  }

  /** Events are never stored so, since they are counted, too: nothing is to be told. */
  async writeOnce<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    const written = this.#database.writeOnce?.(work) ?? this.#database.write(work)
    return written.catch(this.#explained)
  }

  /** No claim stores events. */
  async claim<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    const database = this.#database
    const written = database.claim?.(work) ?? database.writeOnce?.(work) ?? database.write(work)
    return written.catch(this.#explained)
  }

  /** Nothing in the background stores events. */
  async background<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    return this.#database.background(work).catch(this.#explained)
  }

  async attempt<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.refuseNested()
    return this.#database.attempt(work).catch(this.#explained)
  }

  async transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    this.refuseNested()
    const here = { open: true }
    const run = (begin?: (session: Session) => Session) =>
      this.#database.transaction(async (inside) => {
        if (begin) await inside.read(async (session) => begin(session))
        return this.#inside.run(here, () => work(inside))
      })
    try {
      return await (this.#stored.isHeard ? this.#stored.committed(run) : run()).catch(this.#explained)
    } finally {
      here.open = false
    }
  }

  /** Errors of the database stay as they are, since the transaction is the host's. */
  async join<T>(client: unknown, work: (host: Joined) => Promise<T>): Promise<T> {
    this.refuseNested()
    return this.#database.join(client, work)
  }

  async check(): Promise<void> {
    this.refuseNested()
    return this.#database.check().catch(this.#explained)
  }

  /** Throws the error, as SERVICE_UNAVAILABLE when the database cannot be reached. */
  readonly #explained = (error: unknown): never => {
    if (EngineError.is(error) || !this.dialect.isUnavailable(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const details = { cause: error, retryAfter: RETRY_AFTER }
    throw new EngineError('SERVICE_UNAVAILABLE', `The database is not available: ${reason}`, details)
  }
}

/** Seconds after which to try again when the database was not available. */
const RETRY_AFTER = 5
