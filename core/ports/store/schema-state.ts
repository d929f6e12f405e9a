/** A migration that has run. */
export interface AppliedMigration {
  readonly name: string
  readonly at: Date
}

/** Which migrations have run on a database, and which have not. */
export interface SchemaState {
  /** Those that have run, oldest first. */
  readonly applied: readonly AppliedMigration[]
  /** Those of this version that have not run yet, in order. For an empty database, all of them. */
  readonly pending: readonly string[]
  /** Those that have run and that this version does not know: a newer version has used the database. */
  readonly unknown: readonly string[]
  /** Whether the database is an unfinished copy of another one, which must not be opened. */
  readonly isBeingCopied: boolean
  /** Who else may create things beside the tables, such as an operator that would be used instead of the system's. */
  readonly creators?: readonly string[]
}
