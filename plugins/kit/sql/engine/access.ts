import type { SqlEntityManager } from '@mikro-orm/sql'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect } from './dialect.ts'
import type { Session } from './session.ts'

/** How a repository reaches its database, inside a transaction or outside any. */
export interface Access {
  readonly dialect: Dialect
  /** For statements that stand alone. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * As `read`, for what may look at very many rows: where that would keep everybody else waiting it is done beside them.
   * Everything committed before the call is seen. The texts may be many: they are not kept for long. Outside a transaction it
   * may take so long and no longer, and waits for its turn while its project has many of them: `SERVICE_UNAVAILABLE`.
   */
  scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T>
  /** All writes of `work` or, when it throws, none. Inside a transaction it is a part of that. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** As `write`, when a failure is expected: what is written around it stays usable. */
  attempt<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** For the cold paths: an entity manager of its own, with an empty identity map. */
  orm<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T>
}

/** An open database of either kind. */
export interface Database extends Access {
  /** Whether no other process can use it while it is open. */
  readonly exclusive: boolean
  /** One transaction; `inside` speaks within it and only until `work` ends. */
  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T>
  /** Throws when what is written now would not be kept. It writes and reads to find out. */
  check(): Promise<void>
}

/**
 * The access of a transaction: this session and this entity manager speak on its connection. Calls made at the same
 * time go one after the other, so that an attempt that fails takes back nothing but its own.
 */
export function accessInside(dialect: Dialect, session: Session, em: SqlEntityManager, scanning = session): Access {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  return {
    dialect,
    read: (work) => inTurn(() => work(session)),
    scan: (_projectId, work) => inTurn(() => work(scanning)),
    write: (work) => inTurn(() => work(session)),
    attempt: (work) => inTurn(() => savepoint(session, work)),
    orm: (work) => inTurn(() => work(em.fork({ keepTransactionContext: true }))),
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
