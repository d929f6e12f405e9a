import type { MigrationObject } from '@mikro-orm/core'
import { EngineError } from '../../../../core/errors.ts'

/** A migration that this version knows. */
export interface KnownMigration extends MigrationObject {
  /** The unreleased migrations that it took the place of. A database that has had all of them has had this one. */
  readonly joins?: readonly string[]
}

/**
 * The rows of the table of migrations, oldest first, by the names of this version. Throws EngineError `STORE_NEWER` when
 * a database stops in the middle of unreleased migrations that were joined: what it lacks is in no file any more.
 */
export function byKnownNames<T extends { readonly name: string }>(
  rows: readonly T[],
  known: readonly KnownMigration[],
): readonly T[] {
  return known.reduce((found, { name, joins = [] }) => {
    const last = lastJoined(found, joins)
    if (last === undefined) return found
    const others = found.filter((row) => row === last || !joins.includes(row.name))
    return others.map((row) => (row === last ? { ...row, name } : row))
  }, rows)
}

/** The statements that write the names of this version into the table; none when they are there already. */
export function renamings(
  table: string,
  names: readonly string[],
  known: readonly KnownMigration[],
): readonly string[] {
  const rows = names.map((name) => ({ name }))
  return known.flatMap(({ name, joins = [] }) => {
    const last = lastJoined(rows, joins)
    if (last === undefined) return []
    const others = joins.filter((joined) => joined !== last.name).map((joined) => `'${joined}'`)
    return [
      `delete from "${table}" where "name" in (${others.join(', ')})`,
      `update "${table}" set "name" = '${name}' where "name" = '${last.name}'`,
    ]
  })
}

/** The last row of joined migrations; undefined when there is none. */
function lastJoined<T extends { readonly name: string }>(rows: readonly T[], joins: readonly string[]): T | undefined {
  const those = rows.filter(({ name }) => joins.includes(name))
  const last = those.at(-1)
  if (last === undefined || those.length === joins.length) return last
  const lacking = joins.length - those.length
  throw new EngineError(
    'STORE_NEWER',
    `The database was written by an unreleased version of Mailwright, which knew the migrations up to ${last.name}; the ${lacking} that came after it are no longer there one by one. Start commit ${LAST_WITH_EACH} of the repository on it once, which runs them, and then this version. Nothing was changed.`,
  )
}

/** The last commit that has the unreleased migrations one by one: "Count mail that a folder took apart from mail that was delivered". */
const LAST_WITH_EACH = '56129ea8'
