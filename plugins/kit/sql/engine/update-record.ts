import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Session } from './session.ts'
import type { Table } from './table.ts'

/**
 * Writes every field of a project's record, found by its id, and clears those it does not have. Columns in `without`
 * stay. Answers false when there is no such row.
 */
export async function updateRecord<Rec extends { readonly id: string; readonly projectId: ProjectId }>(
  session: Session,
  table: Table<Rec>,
  record: Rec,
  without: readonly (keyof Rec & string)[] = [],
): Promise<boolean> {
  const columns = table.without(['id', 'projectId', ...without])
  const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
  const fields: Readonly<Record<string, unknown>> = { ...record }
  const values = columns.map(({ property, encode }) => encode(fields[property]))
  const sql = `update ${table.name} set ${set} where "project_id" = ? and "id" = ?`
  return (await session.run(sql, [...values, record.projectId, record.id])) > 0
}
