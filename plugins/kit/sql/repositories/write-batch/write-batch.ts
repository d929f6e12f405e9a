import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import type {
  RememberedAnswer,
  WriteBatch,
  WriteBatchOutcome,
  WriteBatchRequest,
} from '../../../../../core/ports/store/write-batch.ts'
import { Conflict } from '../../../../../core/values/conflict.ts'
import type { Json } from '../../../../../core/values/json.ts'
import { Pace } from '../../../../../core/values/pace.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { GroupCommit, type Outcome } from '../../engine/group-commit.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params, Row, Session } from '../../engine/session.ts'
import type { StoredAnswer, Tables } from '../../engine/tables.ts'
import { storeContactJobs } from '../contacts/contact-jobs.ts'
import { type AnyRequest, readPublicDataKeys, writePublicDataKeys } from '../contacts/public-data-keys.ts'
import { writeContacts } from '../contacts/save-contacts.ts'
import { storeContents } from '../emails/contents.ts'
import { type AnyOutcome, RequestBatch } from './request-batch.ts'

/** Reads, decides and writes requests that wait at the same time in one transaction. */
export class SqlWriteBatch extends Repository implements WriteBatch {
  readonly #refuseNested: () => void
  readonly #commits: GroupCommit<AnyRequest, AnyOutcome>

  constructor(access: Access, tables: Tables, refuseNested: () => void) {
    super(access, tables)
    this.#refuseNested = refuseNested
    this.#commits = new GroupCommit({
      dialect: access.dialect,
      capacity: 500,
      weight: ({ weight = 0 }) => 1 + weight / KEYS_PER_WEIGHT,
      commit: (requests) => access.write((session) => commitTogether(access.dialect, tables, session, requests)),
    })
  }

  async commit<T extends Json>(request: WriteBatchRequest<T>): Promise<WriteBatchOutcome<T>> {
    this.#refuseNested()
    // the answer is this request's own, or the one first given to its key: by the same operation, so of the same type
    return (await this.#commits.add(request)) as WriteBatchOutcome<T>
  }

  async remembered(projectId: ProjectId, key: string, since: Date): Promise<RememberedAnswer | undefined> {
    const { answers } = this.tables
    const sql = `select ${answers.list} from "idempotency_answers"
      where "project_id" = ? and "key" = ? and "created_at" >= ?`
    const params = [projectId, key, this.dialect.encode('date')(since)]
    const [row] = await this.access.all(sql, params)
    if (!row) return undefined
    const { fingerprint, answer } = answers.record(row)
    return { fingerprint, answer: JSON.parse(answer) }
  }

  forget(before: Date, limit: number): Promise<number> {
    const sql = `delete from "idempotency_answers" where ("project_id", "key") in
      (select "project_id", "key" from "idempotency_answers" where "created_at" < ? order by "created_at" limit ?)`
    return this.access.run(sql, [this.dialect.encode('date')(before), limit])
  }
}

/** How many data keys weigh as much as a request. Counting keys is what takes a batch with many of them its time. */
const KEYS_PER_WEIGHT = 25

async function commitTogether(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  requests: readonly AnyRequest[],
): Promise<readonly Outcome<AnyOutcome>[]> {
  const answers = await readAnswers(dialect, tables, session, requests)
  const contacts = await readContacts(dialect, tables, session, requests)
  const keys = await readPublicDataKeys(dialect, tables, session, requests, contacts)
  const batch = new RequestBatch(contacts, answers, keys)
  const pace = new Pace()
  const outcomes: Outcome<AnyOutcome>[] = []
  for (const request of requests) outcomes.push(await pace.run(() => batch.decide(request)))
  await writeContacts(tables, session, [...batch.changedContacts.values()])
  await storeContents(dialect, tables, session, batch.contents)
  await tables.emails.insert(session, batch.emails)
  await tables.events.insert(session, batch.events)
  if (batch.jobs.length > 0) await storeContactJobs(tables, session, batch.jobs)
  if (!(await writePublicDataKeys(tables, session, keys.added))) throw new Conflict()
  await writeAnswers(dialect, tables, session, batch)
  return outcomes
}

async function readAnswers(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  requests: readonly AnyRequest[],
): Promise<readonly StoredAnswer[]> {
  const asked = requests.flatMap(({ projectId, idempotency }) => (idempotency ? [[projectId, idempotency.key]] : []))
  if (asked.length === 0) return []
  const columns = tables.answers.pick('projectId', 'key')
  const sql = `select ${tables.answers.listOf('a')} from ${dialect.given(columns)} as given
    cross join "idempotency_answers" as a
    where a."project_id" = given."project_id" and a."key" = given."key"`
  const rows = await session.all(sql, dialect.givenParams(columns, asked))
  return rows.map((row) => tables.answers.record(row))
}

async function readContacts(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  requests: readonly AnyRequest[],
): Promise<readonly Contact[]> {
  const byAddress: Params[] = requests.flatMap(({ projectId, addresses }) =>
    addresses.map((email) => [projectId, email]),
  )
  const byId: Params[] = requests.flatMap(({ projectId, contactIds = [] }) => contactIds.map((id) => [projectId, id]))
  const read = (list: string, name: 'email' | 'id', named: readonly Params[], hold = '') =>
    readNamed(dialect, tables, session, { list, name, named, hold })
  const [all, hold] = [tables.contacts.listOf('c'), dialect.lockRows('c')]
  if (byId.length === 0) return contactsOf(tables, await read(all, 'email', byAddress, hold))
  // with contacts named either way, their ids are read first, so that one statement locks all of them
  const found = await read('c."project_id", c."id"', 'email', byAddress)
  return contactsOf(tables, await read(all, 'id', [...byId, ...found.map((row) => [row.project_id, row.id])], hold))
}

async function readNamed(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  ask: {
    readonly list: string
    readonly name: 'email' | 'id'
    readonly named: readonly Params[]
    readonly hold: string
  },
): Promise<readonly Row[]> {
  const { list, name, named, hold } = ask
  if (named.length === 0) return []
  const columns = tables.contacts.pick('projectId', name)
  // locked in the order of ids, so that two processes do not block each other
  const sql = `select ${list} from ${dialect.given(columns)} as given
    cross join "contacts" as c
    where c."project_id" = given."project_id" and c."${name}" = given."${name}" order by c."id"${hold}`
  return session.all(sql, dialect.givenParams(columns, named))
}

function contactsOf(tables: Tables, rows: readonly Row[]): readonly Contact[] {
  return rows.map((row) => tables.contacts.record(row))
}

/**
 * Writes the answers, in place of expired ones. If another process wrote one meanwhile, this attempt ends, and the next
 * one reads it.
 */
async function writeAnswers(dialect: Dialect, tables: Tables, session: Session, batch: RequestBatch): Promise<void> {
  if (batch.forgotten.length > 0) {
    const columns = tables.answers.pick('projectId', 'key')
    const names = columns.map(({ name }) => `"${name}"`).join(', ')
    const sql = `delete from "idempotency_answers" where (${names}) in (select ${names} from ${dialect.given(columns)} as given)`
    const keys = batch.forgotten.map(({ projectId, key }) => [projectId, key])
    await session.run(sql, dialect.givenParams(columns, keys))
  }
  if (batch.newAnswers.size === 0) return
  const answers = inOrder([...batch.newAnswers.values()], ({ projectId, key }) => projectId + key)
  const written = await tables.answers.insert(session, answers, 'on conflict do nothing')
  if (written < answers.length) throw new Conflict()
}
