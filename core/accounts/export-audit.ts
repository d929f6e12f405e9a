import { guarded } from '../contacts/csv-cells.ts'
import { csvOf } from '../contacts/export-contacts.ts'
import type { AuditEntry, AuditFilter } from '../ports/store/audit.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Position } from '../values/page.ts'
import type { ProjectId } from '../values/project-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** The most entries of one file. */
export const MOST_EXPORTED = 100_000
/** How many are read and written at a time. */
const PAGE = 1000

const COLUMNS: Readonly<Record<string, (entry: AuditEntry) => string | undefined>> = {
  timestamp: ({ at }) => at.toISOString(),
  action: ({ action }) => action,
  actor: ({ actorName }) => actorName,
  actor_type: ({ actorType }) => actorType,
  actor_id: ({ actorId }) => actorId,
  target: ({ targetName }) => targetName,
  target_type: ({ targetType }) => targetType,
  target_id: ({ targetId }) => targetId,
  part_of_type: ({ parentType }) => parentType,
  part_of_id: ({ parentId }) => parentId,
  created_id: ({ createdId }) => createdId,
  fields: ({ fields }) => fields.join(' '),
  outcome: ({ outcome }) => outcome,
  address: ({ address }) => address,
  request_id: ({ requestId }) => requestId,
  id: ({ id }) => id,
}

/** The entries as CSV, newest first, page by page, read only as fast as the caller consumes them. */
export async function* exportAudit(
  audit: Pick<Repositories['audit'], 'page'>,
  projectId: ProjectId,
  filter: AuditFilter,
): AsyncGenerator<string> {
  yield csvOf([Object.keys(COLUMNS)])
  let after: Position | undefined
  for (let count = 0; count < MOST_EXPORTED; count += PAGE) {
    const rows = await audit.page(projectId, filter, { limit: PAGE, ...(after && { after }) })
    const page = rows.slice(0, PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    yield csvOf(page.map((entry) => Object.values(COLUMNS).map((cell) => guarded(cell(entry) ?? ''))))
    if (rows.length <= PAGE) return
    after = { value: '', id: last.id }
    await yieldToLoop()
  }
}
