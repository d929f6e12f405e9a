import type { AppliedMigration, SchemaState } from '../../../../core/ports/store/schema-state.ts'
import { isCopyMark } from './copy-mark.ts'
import { byKnownNames, type KnownMigration } from './known-names.ts'

/**
 * Compares the rows of the table of migrations, oldest first, with the migrations that this version knows. The caller
 * has read them without the migrator, which makes the table when it is asked.
 */
export function schemaState(rows: readonly AppliedMigration[], known: readonly KnownMigration[]): SchemaState {
  const own = rows.filter(({ name }) => !isCopyMark(name))
  const applied = byKnownNames(own, known)
  const done = new Set(applied.map(({ name }) => name))
  const names = known.map(({ name }) => name)
  return {
    applied,
    pending: names.filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !names.includes(name)),
    isBeingCopied: own.length < rows.length,
  }
}
