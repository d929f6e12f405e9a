import type { ProjectId } from '../../../../core/values/project-id.ts'
import { batches } from '../copy/copy-rows.ts'
import type { CopySide } from '../copy/copy-side.ts'
import type { Access } from '../engine/access.ts'
import type { Sql } from '../engine/dialect.ts'
import { lineOf } from './lines.ts'
import { type Part, partsOf } from './plan.ts'

/** The lines of one file, a batch at a time. */
export interface LinesOf {
  readonly file: string
  readonly lines: AsyncIterable<readonly string[]>
}

/**
 * Reads all of a project, file by file, as it is at one moment. `take` reads each file to its end before it answers.
 */
export async function exportRows(
  { database, named }: CopySide,
  projectId: ProjectId,
  take: (part: LinesOf) => Promise<void>,
): Promise<void> {
  const all = async (access: Pick<Access, 'read' | 'dialect'>) => {
    for (const part of partsOf(named)) await take({ file: part.file, lines: linesOf(access, part, projectId) })
  }
  // no other process can write meanwhile
  if (database.exclusive) return all(database)
  await database.transaction(async (inside) => {
    await inside.run(database.dialect.snapshot, [])
    await all(inside)
  })
}

async function* linesOf(
  access: Pick<Access, 'read' | 'dialect'>,
  { table, open, of }: Part,
  projectId: ProjectId,
): AsyncGenerator<readonly string[]> {
  for await (const records of batches(access, table, undefined, belongs(table.name, of, projectId))) {
    yield records.map((record) => lineOf(table, open?.(record) ?? record))
  }
}

function belongs(name: string, of: Part['of'], projectId: ProjectId): Sql {
  const params = [projectId]
  if (of) return { text: `"${of.by}" in (select "id" from "${of.table}" where "project_id" = ?)`, params }
  return { text: name === '"projects"' ? '"id" = ?' : '"project_id" = ?', params }
}
