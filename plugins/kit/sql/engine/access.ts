import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect } from './dialect.ts'
import type { Params, Row, Session } from './session.ts'

/** How a repository reaches its database, inside or outside a transaction. */
export interface Access extends Reach {
  /** Answers the rows of one select. */
  all(sql: string, params: Params): Promise<readonly Row[]>
  /** Runs one write. Answers how many rows were written. */
  run(sql: string, params: Params): Promise<number>
  /** Like `write`, for work that runs one statement. Outside a transaction it is one by itself. */
  writeOnce<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Like `writeOnce`, for claims of this process. Outside a transaction it may answer before the disk has them. */
  claim<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Like `write`, for work that no caller waits for and that is done again when a power cut loses it. Outside a transaction
   * it may answer before the disk has it, but nothing written later is kept without it.
   */
  background<T>(work: (session: Session) => Promise<T>): Promise<T>
}

/** The abilities of a database, which every access has. */
interface Reach {
  readonly dialect: Dialect
  /** For statements outside a transaction. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Like `read`, for statements that may look at very many rows. They run beside the others where they would hold them
   * up, and see everything committed before the call. Their texts may vary, since they are not kept for long. Outside a
   * transaction they have a time limit, and wait while their project runs many of them: `SERVICE_UNAVAILABLE`.
   */
  scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T>
  /** Makes all writes of `work` or, when it throws, none. Inside a transaction, they are part of it. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Like `write`, when a failure is expected: the surrounding transaction stays usable. */
  attempt<T>(work: (session: Session) => Promise<T>): Promise<T>
}

/** An open database, SQLite or PostgreSQL. */
export interface Database extends Reach {
  /** Whether other processes cannot use it while it is open. */
  readonly exclusive: boolean
  /** Like `write`, for work that runs one statement, where that saves round trips; else it is left out. */
  writeOnce?<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Like `write`, for claims, without the wait for the disk, where what it loses ends the process, too: then nothing works
   * on what was claimed. Else it is left out.
   */
  claim?<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** See `Access`. It waits while it would hold up other writes. */
  background<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Runs one transaction. Use `inside` within it, and only until `work` ends. */
  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T>
  /** Runs `work` on a connection of the host, inside its transaction. See `Store.join`. */
  join<T>(client: unknown, work: (host: Joined) => Promise<T>): Promise<T>
  /** Throws when writes would not be kept now. It writes and reads to find out. */
  check(): Promise<void>
}

/** A transaction of the host, for as long as `work` runs. */
export interface Joined {
  readonly inside: Access
  /** Where `inside` works. */
  readonly session: Session
  /** Resolves when the host's transaction has ended; see `HostTransaction`. */
  readonly ended: Promise<void>
}

/**
 * The access of a transaction, on whose connection this session works. Calls made at the same time run one after the
 * other, so that an attempt that fails undoes only its own writes.
 */
export function accessInside(dialect: Dialect, session: Session, scanning = session): Access {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  return {
    dialect,
    all: (sql, params) => inTurn(() => session.all(sql, params)),
    run: (sql, params) => inTurn(() => session.run(sql, params)),
    read: (work) => inTurn(() => work(session)),
    scan: (_projectId, work) => inTurn(() => work(scanning)),
    write: (work) => inTurn(() => work(session)),
    writeOnce: (work) => inTurn(() => work(session)),
    claim: (work) => inTurn(() => work(session)),
    background: (work) => inTurn(() => work(session)),
    attempt: (work) => inTurn(() => savepoint(session, work)),
  }
}

async function savepoint<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  await session.run('savepoint attempt', [])
  try {
    const answer = await work(session)
    await session.run('release savepoint attempt', [])
    return answer
  } catch (error) {
    await session.run('rollback to savepoint attempt', [])
    throw error
  }
}
