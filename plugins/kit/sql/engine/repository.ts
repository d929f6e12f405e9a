import type { Access } from './access.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** The parts of every repository with statements of its own: the database, and the tables it reads and writes. */
export abstract class Repository {
  protected readonly access: Access
  protected readonly tables: Tables
  protected readonly dialect: Dialect

  constructor(access: Access, tables: Tables) {
    this.access = access
    this.tables = tables
    this.dialect = access.dialect
  }
}
