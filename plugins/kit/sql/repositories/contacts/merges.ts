/* SQL by hand: what belongs to a contact becomes another one's, by its indexes, a part of very many rows at a time. */
import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import type { MergeRepository } from '../../../../../core/ports/store/merges.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { cancelExecutions } from '../workflows/executions.ts'
import { removeContacts } from './save-contacts.ts'

/** Contacts that were merged into others. */
export class SqlMerges extends Repository implements MergeRepository {
  absorb(projectId: ProjectId, into: string, from: Pick<Contact, 'id' | 'email'>, at: Date): Promise<void> {
    const { dialect, tables } = this
    return this.access.write((session) => absorbContact(dialect, tables, session, { projectId, into, from, at }))
  }

  async release(projectId: ProjectId, email: string): Promise<void> {
    const sql = 'update "merged_contacts" set "email" = null where "project_id" = ? and "email" = ?'
    await this.access.run(sql, [projectId, email])
  }

  async into(projectId: ProjectId, id: string): Promise<string | undefined> {
    const sql = 'select "into_id" from "merged_contacts" where "contact_id" = ? and "project_id" = ?'
    const [row] = await this.access.all(sql, [id, projectId])
    return row && String(row.into_id)
  }
}

/** How many rows are moved by one statement. */
const ROWS = 1000
const BY_PROJECT: ReadonlySet<string> = new Set(['events', 'emails'])

/** Whose rows become whose. */
interface Merge {
  readonly projectId: ProjectId
  readonly into: string
  readonly from: Pick<Contact, 'id' | 'email'>
  readonly at: Date
}

/**
 * Gives a contact all that belongs to another one, which is removed; for use in a transaction. Rows that may exist only once
 * for a contact stay with the removed one where the first has its own, and are erased with it.
 */
async function absorbContact(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  { projectId, into, from: { id: from, email }, at }: Merge,
): Promise<void> {
  const move = async (table: string, key: string, condition = '', params: Params = []) => {
    // events and mails are found by the project and the contact, the others by the contact
    const ofProject = BY_PROJECT.has(table) ? '"project_id" = ?' : '("project_id" = ?) is true'
    const sql = `update "${table}" set "contact_id" = ? where (${key}) in (select ${key} from "${table}" as t
      where "contact_id" = ? and ${ofProject}${condition} limit ${ROWS})`
    while ((await session.run(sql, [into, from, projectId, ...params])) === ROWS);
  }
  for (const table of ['events', 'form_submissions', 'webhook_deliveries', 'untold_events']) await move(table, '"id"')
  // one mail of a campaign for a contact, and one membership at a time
  const hasNoMail = ` and not exists (select 1 from "emails" as o where o."contact_id" = ? and o."campaign_id" = t."campaign_id")`
  await move('emails', '"id"', hasNoMail, [into])
  await move('campaign_left_out', '"campaign_id", "reason", "id"', hasNoMail, [into])
  const isNoMember = ` and ("left_at" is not null or not exists (select 1 from "segment_stays" as o
    where o."contact_id" = ? and o."segment_id" = t."segment_id" and o."left_at" is null))`
  await move('segment_stays', '"id"', isNoMember, [into])
  // the person goes through a workflow once: by the path that goes on
  const own = `select "workflow_id" from "workflow_executions" where "contact_id" = ?`
  const doubled = await session.all(
    `select "id" from "workflow_executions" where "contact_id" = ? and "workflow_id" in (${own})`,
    [from, into],
  )
  const ids = doubled.map(({ id }) => String(id))
  await cancelExecutions(dialect, session, { projectId, by: 'id', ids }, '"id"', { at, reason: 'contact-merged' })
  const never = dialect.encode('boolean')(false)
  await session.run(`update "workflow_executions" set "once" = ? where "id" ${dialect.listed('uuid')}`, [
    never,
    dialect.list(ids),
  ])
  await move('workflow_executions', '"id"')
  await session.run(`update "merged_contacts" set "into_id" = ? where "into_id" = ?`, [into, from])
  await removeContacts(dialect, tables, session, projectId, [from], at)
  await tables.mergedContacts.insert(session, [{ contactId: from, projectId, intoId: into, email }])
}
