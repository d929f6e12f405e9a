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
  /** Runs the statement once for each list of parameters. Answers how many rows were written in all. */
  runEach(sql: string, executions: readonly Params[]): Promise<number>
  /** The same for a write with `returning`. Answers the rows of all executions. */
  allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]>
  /**
   * Call in a transaction after which what was erased must be gone from the files that the database itself keeps beside
   * its data, as far as it can do that.
   */
  forget?(): void
}
