import { EngineError } from '../../../../core/errors.ts'
import { batches } from './copy-rows.ts'
import type { CopySide } from './copy-side.ts'

/** Tables about the installation: they belong to no project. */
const OF_INSTALLATION: ReadonlySet<string> = new Set([
  '"engine_secrets"',
  '"installation_settings"',
  '"retention_positions"',
  '"begun_work"',
  '"users"',
  '"user_identities"',
  '"recovery_codes"',
  '"user_tokens"',
  '"user_sessions"',
  '"attempts"',
])

/**
 * Adds the projects of the source to the target, beside those it has: all rows, or none. Other connections see none of
 * them before. Throws EngineError `CONFLICT`, with nothing changed, when the target has a project of the same name.
 */
export async function addProjects(from: CopySide, to: CopySide): Promise<void> {
  await to.database.transaction(async (inside) => {
    for (const [i, table] of to.tables.entries()) {
      const source = from.tables[i]
      if (source === undefined || OF_INSTALLATION.has(table.name)) continue
      for await (const records of batches(from.database, source, undefined)) {
        if (table.name === '"projects"') await refuseTaken(records)
        await inside.write((session) => table.insert(session, records))
      }
    }

    async function refuseTaken(records: readonly { readonly name?: string }[]): Promise<void> {
      for (const { name = '' } of records) {
        const rows = await inside.read((session) => session.all('select 1 from "projects" where "name" = ?', [name]))
        if (rows.length > 0) throw nameTaken(name)
      }
    }
  })
}

/** The project is not made, since there is one of its name. */
export function nameTaken(name: string): EngineError {
  return new EngineError(
    'CONFLICT',
    `There already is a project "${name}", which was not changed: choose another --name.`,
  )
}
