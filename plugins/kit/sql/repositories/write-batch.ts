/* SQL by hand: hot path: a statement of each kind for all requests of a batch. */
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import type { MailContent } from '../../../../core/ports/store/contents.ts'
import type { Email } from '../../../../core/ports/store/emails.ts'
import type { NewEvent } from '../../../../core/ports/store/events.ts'
import type {
  KnownContacts,
  RememberedAnswer,
  WriteBatch,
  WriteBatchOutcome,
  WriteBatchRequest,
} from '../../../../core/ports/store/write-batch.ts'
import type { Outcome } from '../../../../core/values/batcher.ts'
import { Conflict } from '../../../../core/values/conflict.ts'
import type { Json } from '../../../../core/values/json.ts'
import { Pace } from '../../../../core/values/pace.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import { groupCommit, InsideCommit } from '../engine/group-commit.ts'
import { inOrder } from '../engine/in-order.ts'
import { OutsideAccess } from '../engine/outside-access.ts'
import { Repository } from '../engine/repository.ts'
import type { Params, Row, Session } from '../engine/session.ts'
import type { StoredAnswer, Tables } from '../engine/tables.ts'
import { type NewContactJob, storeContactJobs } from './contacts/contact-jobs.ts'
import {
  type AnyRequest,
  type PublicDataKeys,
  readPublicDataKeys,
  writePublicDataKeys,
} from './contacts/public-data-keys.ts'
import { writeContacts } from './contacts/save-contacts.ts'
import { storeContents } from './emails/contents.ts'
import { storeEvents } from './events/awaited-events.ts'

type AnyOutcome = WriteBatchOutcome<Json>

/** Reads, decides and writes requests that wait at the same time in one transaction. */
export class SqlWriteBatch extends Repository implements WriteBatch {
  readonly #commits: Pick<InsideCommit<AnyRequest, AnyOutcome>, 'add'>

  /** Inside a transaction, each request is written by itself. */
  constructor(access: Access, tables: Tables) {
    super(access, tables)
    const work = (requests: readonly AnyRequest[]) => this.#together.bind(this, requests)
    this.#commits =
      access instanceof OutsideAccess
        ? groupCommit({
            access,
            capacity: 500,
            weight: ({ weight = 0 }) => 1 + weight / KEYS_PER_WEIGHT,
            work,
          })
        : new InsideCommit(access, work)
  }

  async commit<T extends Json>(request: WriteBatchRequest<T>): Promise<WriteBatchOutcome<T>> {
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

  async #together(requests: readonly AnyRequest[], session: Session): Promise<readonly Outcome<AnyOutcome>[]> {
    const { dialect, tables } = this
    const [keyed, byAddress, byId]: [Params[], Params[], Params[]] = [[], [], []]
    let hasKeys = false
    for (const { projectId, idempotency, addresses, contactIds = [], publicDataKeys = [] } of requests) {
      if (idempotency) keyed.push([projectId, idempotency.key])
      for (const email of addresses) byAddress.push([projectId, email])
      for (const id of contactIds) byId.push([projectId, id])
      hasKeys ||= publicDataKeys.length > 0
    }
    const answers = keyed.length > 0 ? await this.#readAnswers(session, keyed) : []
    const named = await this.#readContacts(session, byAddress, byId)
    const merged = await this.#readMerged(session, byAddress, named)
    const contacts = [...named, ...merged.map(({ contact }) => contact)]
    const keys = hasKeys ? await readPublicDataKeys(dialect, tables, session, requests, contacts) : undefined
    const batch = new RequestBatch(contacts, answers, keys)
    for (const { email, contact } of merged) batch.standFor(email, contact)
    const pace = new Pace()
    const outcomes: Outcome<AnyOutcome>[] = []
    for (const request of requests) outcomes.push(await pace.run(() => batch.decide(request)))
    if (batch.changedContacts.size > 0) await writeContacts(tables, session, [...batch.changedContacts.values()])
    if (batch.contents.size > 0) await storeContents(dialect, tables, session, batch.contents)
    if (batch.emails.length > 0) await tables.emails.insert(session, batch.emails)
    if (batch.events.length > 0) await storeEvents(dialect, tables, session, batch.events)
    if (batch.jobs.length > 0) await storeContactJobs(tables, session, batch.jobs)
    if (keys && !(await writePublicDataKeys(tables, session, keys.added))) throw new Conflict()
    if (batch.newAnswers.size > 0) await this.#writeAnswers(session, batch)
    return outcomes
  }

  async #readAnswers(session: Session, keyed: readonly Params[]): Promise<readonly StoredAnswer[]> {
    const { answers } = this.tables
    const columns = answers.pick('projectId', 'key')
    const sql = `select ${answers.listOf('a')} from ${this.dialect.given(columns)} as given
      cross join "idempotency_answers" as a
      where a."project_id" = given."project_id" and a."key" = given."key"`
    const rows = await session.all(sql, this.dialect.givenParams(columns, keyed))
    return rows.map((row) => answers.record(row))
  }

  async #readContacts(
    session: Session,
    byAddress: readonly Params[],
    byId: readonly Params[],
  ): Promise<readonly Contact[]> {
    const { contacts } = this.tables
    const hold = this.dialect.lockRows('c')
    let rows: readonly Row[] = []
    if (byId.length > 0) {
      // with contacts named either way, their ids are read first, so that one statement locks all of them
      const found = byAddress.length > 0 ? await this.#named(session, 'email', byAddress, 'c."project_id", c."id"') : []
      const ids = [...byId, ...found.map((row) => [row.project_id, row.id])]
      rows = await this.#named(session, 'id', ids, contacts.listOf('c'), hold)
    } else if (byAddress.length > 0) {
      rows = await this.#named(session, 'email', byAddress, contacts.listOf('c'), hold)
    }
    return rows.map((row) => contacts.record(row))
  }

  /** The contacts that addresses of none stand for, since the ones that had them were merged into these. */
  async #readMerged(
    session: Session,
    byAddress: readonly Params[],
    contacts: readonly Contact[],
  ): Promise<readonly { readonly email: string; readonly contact: Contact }[]> {
    const known = new Set(contacts.map(({ projectId, email }) => pair(projectId, email)))
    const unknown = byAddress.filter(([projectId, email]) => !known.has(pair(String(projectId), String(email))))
    if (unknown.length === 0) return []
    const columns = this.tables.mergedContacts.pick('projectId', 'email')
    const sql = `select m."project_id", m."email", m."into_id" from ${this.dialect.given(columns)} as given
      cross join "merged_contacts" as m
      where m."project_id" = given."project_id" and m."email" = given."email"`
    const rows = await session.all(sql, this.dialect.givenParams(columns, unknown))
    if (rows.length === 0) return []
    const ids = rows.map((row) => [row.project_id, row.into_id])
    const held = await this.#readContacts(session, [], ids)
    const byId = new Map(held.map((contact) => [contact.id, contact]))
    return rows.map((row) => {
      const contact = byId.get(String(row.into_id))
      // it was merged into yet another one meanwhile
      if (contact === undefined) throw new Conflict()
      return { email: String(row.email), contact }
    })
  }

  #named(
    session: Session,
    name: 'email' | 'id',
    named: readonly Params[],
    list: string,
    hold = '',
  ): Promise<readonly Row[]> {
    const columns = this.tables.contacts.pick('projectId', name)
    // locked in the order of ids, so that two processes do not block each other
    const sql = `select ${list} from ${this.dialect.given(columns)} as given
      cross join "contacts" as c
      where c."project_id" = given."project_id" and c."${name}" = given."${name}" order by c."id"${hold}`
    return session.all(sql, this.dialect.givenParams(columns, named))
  }

  /**
   * Writes the answers, replacing expired ones. If another process wrote one meanwhile, this attempt ends, and the next
   * one reads it.
   */
  async #writeAnswers(session: Session, batch: RequestBatch): Promise<void> {
    const { answers } = this.tables
    if (batch.forgotten.length > 0) {
      const columns = answers.pick('projectId', 'key')
      const names = columns.map(({ name }) => `"${name}"`).join(', ')
      const sql = `delete from "idempotency_answers" where (${names}) in
        (select ${names} from ${this.dialect.given(columns)} as given)`
      const keys = batch.forgotten.map(({ projectId, key }) => [projectId, key])
      await session.run(sql, this.dialect.givenParams(columns, keys))
    }
    const rows = inOrder([...batch.newAnswers.values()], ({ projectId, key }) => projectId + key)
    if ((await answers.insert(session, rows, 'on conflict do nothing')) < rows.length) throw new Conflict()
  }
}

/** How many data keys weigh as much as a request. Counting keys is what takes a batch with many of them its time. */
const KEYS_PER_WEIGHT = 25

/**
 * Decides the requests of a batch in order, each over the contacts and answers as the earlier ones left them, and
 * collects everything they write.
 */
class RequestBatch {
  readonly #contacts = new Map<string, Contact>()
  readonly #ids = new Map<string, string>()
  readonly #answers = new Map<string, StoredAnswer>()
  readonly #publicDataKeys: PublicDataKeys | undefined

  readonly changedContacts = new Map<string, Contact>()
  readonly newAnswers = new Map<string, StoredAnswer>()
  /** Stored answers that have expired and make room for new ones. */
  readonly forgotten: StoredAnswer[] = []
  readonly contents = new Map<string, MailContent>()
  readonly emails: Email[] = []
  readonly events: NewEvent[] = []
  readonly jobs: NewContactJob[] = []

  constructor(
    contacts: readonly Contact[],
    answers: readonly StoredAnswer[],
    publicDataKeys: PublicDataKeys | undefined,
  ) {
    this.#publicDataKeys = publicDataKeys
    for (const contact of contacts) this.#know(contact)
    for (const answer of answers) this.#answers.set(pair(answer.projectId, answer.key), answer)
  }

  /** The contact is known by this address, too, which is not its own. */
  standFor(email: string, { projectId, id }: Contact): void {
    this.#ids.set(pair(projectId, email), id)
  }

  /** Decides one request. If its `decide` throws, the error is its outcome, and nothing of it is written. */
  decide(request: AnyRequest): Outcome<AnyOutcome> {
    const remembered = this.#remembered(request)
    if (remembered) return { answer: remembered }
    try {
      const writes = request.decide(this.#knownTo(request))
      for (const contact of writes.contacts) {
        this.#know(contact)
        this.changedContacts.set(contact.id, contact)
      }
      for (const content of writes.contents) this.contents.set(content.id, content)
      this.emails.push(...writes.emails)
      this.events.push(...writes.events)
      if (writes.jobs) this.jobs.push(...writes.jobs)
      this.#publicDataKeys?.add(request)
      this.#remember(request, writes.answer)
      return { answer: { outcome: 'taken', answer: writes.answer } }
    } catch (error) {
      return { error }
    }
  }

  #knownTo(request: AnyRequest): KnownContacts {
    const { projectId } = request
    const byId = (id: string) => this.#contacts.get(pair(projectId, id))
    return {
      byId,
      publicDataKeys: this.#publicDataKeys?.seenBy(request) ?? NO_KEYS,
      byAddress: (email) => {
        const id = this.#ids.get(pair(projectId, email))
        return id === undefined ? undefined : byId(id)
      },
    }
  }

  #know(contact: Contact): void {
    this.#contacts.set(pair(contact.projectId, contact.id), contact)
    this.#ids.set(pair(contact.projectId, contact.email), contact.id)
  }

  #remembered({ projectId, idempotency }: AnyRequest): AnyOutcome | undefined {
    const known = idempotency && this.#answers.get(pair(projectId, idempotency.key))
    if (!known || known.createdAt < idempotency.since) return undefined
    if (known.fingerprint !== idempotency.fingerprint) return { outcome: 'key-reused' }
    return { outcome: 'replayed', answer: JSON.parse(known.answer) }
  }

  #remember({ projectId, idempotency, now }: AnyRequest, answer: Json): void {
    if (!idempotency) return
    const { key, fingerprint } = idempotency
    const stored = { projectId, key, fingerprint, answer: JSON.stringify(answer), createdAt: now }
    const place = pair(projectId, key)
    const old = this.#answers.get(place)
    if (old && !this.newAnswers.has(place)) this.forgotten.push(old)
    this.#answers.set(place, stored)
    this.newAnswers.set(place, stored)
  }
}

const NO_KEYS = { fresh: [], count: 0 }

/** Ids all have the same length, so two different pairs never give the same text. */
function pair(projectId: string, name: string): string {
  return projectId + name
}
