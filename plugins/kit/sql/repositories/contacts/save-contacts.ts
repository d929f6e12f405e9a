/* SQL by hand: one statement for many contacts, locked in one order. */
import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import { Conflict } from '../../../../../core/values/conflict.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { strangerId } from '../../../../../core/values/stranger-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { cancelExecutions } from '../workflows/executions.ts'

/** The contacts that these addresses stand for, without their data. */
export async function findByAddress(
  access: Access,
  tables: Tables,
  projectId: ProjectId,
  emails: readonly string[],
): Promise<ReadonlyMap<string, Omit<Contact, 'data'>>> {
  const rows = await byAddress(access, projectId, emails, tables.contacts.listOf('c', ['data']))
  return ownFirst(rows.map((row) => [String(row.asked), tables.contacts.record(row)]))
}

/** Of each address the contact that has it, and the one into which another that had it was merged. */
function byAddress(
  access: Access,
  projectId: ProjectId,
  emails: readonly string[],
  list: string,
): Promise<readonly Row[]> {
  const { dialect } = access
  const asked = dialect.list([...new Set(emails)])
  const sql = `select ${list}, c."email" as "asked" from ${dialect.eachOf('"contacts"')} as c
    union all select ${list}, m."email" as "asked" from ${dialect.eachOf('"merged_contacts"')} as m
      cross join "contacts" as c where c."id" = m."into_id"`
  return access.all(sql, [projectId, asked, projectId, asked])
}

/** Contacts by the addresses that were asked for; the one that has the address goes before the one it was merged into. */
function ownFirst<Found extends Pick<Contact, 'email'>>(
  found: readonly (readonly [asked: string, contact: Found])[],
): ReadonlyMap<string, Found> {
  const isOwn = ([asked, { email }]: readonly [string, Found]) => asked === email
  return new Map([...found.filter((each) => !isOwn(each)), ...found.filter(isOwn)])
}

/** The contacts with these ids, locked until the transaction ends. Everybody locks in the order of ids. */
export async function heldById(
  access: Access,
  tables: Tables,
  projectId: ProjectId,
  ids: readonly string[],
): Promise<readonly Contact[]> {
  const { dialect } = access
  const sql = `select ${tables.contacts.list} from "contacts"
    where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"contacts"')}`
  const rows = await access.all(sql, [projectId, dialect.list(ids)])
  return rows.map((row) => tables.contacts.record(row))
}

/**
 * The contacts that these addresses stand for, locked like those by id. Their ids are read first, since SQLite would go
 * through all of the project's contacts to get some addresses in the order of ids. When one was merged, removed or given
 * another address meanwhile, they are read again.
 */
export async function heldByAddress(
  access: Access,
  tables: Tables,
  projectId: ProjectId,
  emails: readonly string[],
): Promise<ReadonlyMap<string, Contact>> {
  for (let tries = 0; tries < READS; tries++) {
    const rows = await byAddress(access, projectId, emails, 'c."id", c."email"')
    if (rows.length === 0) return new Map()
    const ids = [...new Set(rows.map((row) => String(row.id)))]
    const held = new Map((await heldById(access, tables, projectId, ids)).map((contact) => [contact.id, contact]))
    const found = rows.flatMap(({ id, email, asked }): [string, Contact][] => {
      const contact = held.get(String(id))
      return contact?.email === String(email) ? [[String(asked), contact]] : []
    })
    if (found.length === rows.length) return ownFirst(found)
  }
  throw new Conflict()
}

/** How often contacts are looked for while others change their addresses. */
const READS = 5

/**
 * Inserts contacts, and updates those whose id exists. It sets no savepoint: under one, SQLite takes longer for every
 * row the more rows were written, and the transaction is not continued anyway.
 */
export async function saveContacts(
  access: Access,
  tables: Tables,
  contacts: readonly Contact[],
): Promise<'saved' | 'met-another'> {
  const { dialect } = access
  try {
    await access.write((session) => writeContacts(tables, session, contacts))
    return 'saved'
  } catch (error) {
    if (dialect.isTaken(error) || dialect.isConflict(error)) return 'met-another'
    throw error
  }
}

/** Inserts contacts, and updates those that exist; their address and creation date stay. */
export function writeContacts(tables: Tables, session: Session, contacts: readonly Contact[]): Promise<number> {
  const clause = tables.contacts.overwrite(SAVED)
  return tables.contacts.insert(session, inOrder([...contacts], placeOfContact), clause, PART)
}

/** How many contacts one statement writes: of many, the next ones are made ready meanwhile. */
const PART = 250

const SAVED = { on: ['id'], keep: ['projectId', 'email', 'createdAt'], within: 'projectId' } as const

/** The contact's place in the order in which contacts are written. */
function placeOfContact({ projectId, email }: Contact): string {
  return projectId + email
}

/**
 * Removes contacts with their memberships, and cancels their workflow executions. There may be very much else about
 * them, so it is only noted here that it must be erased, with what came from their addresses before these were
 * contacts; that is done later, a batch at a time. For use in a transaction. Answers the ids that existed.
 */
export async function removeContacts(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  projectId: ProjectId,
  ids: readonly string[],
  at: Date,
): Promise<readonly string[]> {
  const listed = dialect.listed('uuid')
  const ours = `${dialect.unindexed('"project_id"')} and "id" ${listed}`
  const hold = `select "id", "email" from "contacts" where ${ours} order by "id"${dialect.lockRows('"contacts"')}`
  const rows = await session.all(hold, [projectId, dialect.list(ids)])
  const found = rows.map((row) => String(row.id))
  if (found.length === 0) return found
  const params = [projectId, dialect.list(found)]
  // a few at a time, since each of their data keys is counted down
  const parts = Array.from({ length: Math.ceil(found.length / REMOVED_AT_ONCE) }, (_, i) => {
    const part = found.slice(i * REMOVED_AT_ONCE, (i + 1) * REMOVED_AT_ONCE)
    return [projectId, dialect.list(part)]
  })
  await session.runEach(`delete from "contacts" where ${ours}`, parts)
  const members = `${dialect.unindexed('"project_id"')} and "contact_id" ${listed} and "left_at" is null`
  await session.run(`delete from "segment_stays" where ${members}`, params)
  await session.run(`delete from "merged_contacts" where "into_id" ${listed} and ("project_id" = ?) is true`, [
    dialect.list(found),
    projectId,
  ])
  const theirs = { projectId, by: 'contact_id', ids: found } as const
  await cancelExecutions(dialect, session, theirs, '"id"', { at, reason: 'contact-removed' })
  const strangers = rows.map(({ email }) => strangerId(projectId, String(email)))
  const sent = `select distinct "contact_id" from "events" where "project_id" = ? and "contact_id" ${listed}`
  const before = (await session.all(sent, [projectId, dialect.list(strangers)])).map((row) => String(row.contact_id))
  const erasures = [...found, ...before].map((contactId) => ({ contactId, projectId, removedAt: at, dueAt: at }))
  await tables.erasures.insertShort(session, erasures, 'on conflict ("contact_id") do nothing')
  return found
}

/** How many contacts one statement removes. */
const REMOVED_AT_ONCE = 100
