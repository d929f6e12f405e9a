/** A row as the driver answers it, by column name. The table's codec turns it into a record. */
export type Row = Readonly<Record<string, unknown>>

/** The values of one execution, encoded by the dialect, in the order of the statement's `?`. */
export type Params = readonly unknown[]

/**
 * One connection for frequent statements: without the ORM, and every text is prepared once and kept. So the texts must
 * be few and fixed; whatever varies is a parameter.
 */
export interface Session {
  /** Answers the rows of a select, or of a write with `returning`. */
  all(sql: string, params: Params): Promise<readonly Row[]>
  /** Answers how many rows were written. */
  run(sql: string, params: Params): Promise<number>
  /**
   * Runs the statement once for each list of parameters. Answers how many rows were written in all. Where statements need
   * not wait for each other's answers, the next list is made while the database works on this one.
   */
  runEach(sql: string, executions: Iterable<Params>): Promise<number>
  /** The same for a write with `returning`. Answers the rows of all executions. */
  allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]>
  /** Whether a statement need not wait until the one before it is answered. */
  readonly isPipelined?: boolean
  /**
   * Call in a transaction after which what was erased must be gone from the files that the database itself keeps beside
   * its data, as far as it can do that.
   */
  forget?(): void
}

/**
 * Does several pieces of work, in this order, none of which needs an answer of another. Where the session is pipelined, their
 * first statements are sent at once, so that they share a round trip. Throws as `allEnded`.
 */
export async function together({ isPipelined }: Session, ...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const under: Promise<unknown>[] = []
  for (const work of works) {
    const running = work()
    // thrown where all are waited for
    running.catch(() => {})
    under.push(running)
    if (!isPipelined) await running
  }
  await allEnded(under)
}

/** The answers of all that is under way, once all has ended. Throws what the first one that failed threw. */
export async function allEnded<const T extends readonly Promise<unknown>[]>(under: T) {
  await Promise.allSettled(under)
  return Promise.all(under)
}
