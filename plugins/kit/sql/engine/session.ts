/** A row as the driver answers it, by column name; the table's codec makes a record of it. */
export type Row = Readonly<Record<string, unknown>>

/** The values of one execution, in the order of the statement's `?`, encoded by the dialect. */
export type Params = readonly unknown[]

/**
 * One connection's ear for hot statements: no ORM in between, every text is prepared once and kept. The texts are
 * therefore few and fixed; whatever varies is a parameter.
 */
export interface Session {
  /** Answers the rows of a select, or of a write with `returning`. */
  all(sql: string, params: Params): Promise<readonly Row[]>
  /** Answers how many rows were written. */
  run(sql: string, params: Params): Promise<number>
  /** Runs the statement once for each list of parameters. Answers how many rows were written in all. */
  runEach(sql: string, executions: readonly Params[]): Promise<number>
}
