/* SQL by hand: lists are ordered by their newest message and joined to what a reader has read; mails move in one statement. */
import type {
  NamedMails,
  Thread,
  ThreadFilter,
  ThreadMail,
  ThreadMailRepository,
  ThreadNote,
  ThreadNoteRepository,
  ThreadRead,
  ThreadRepository,
} from '../../../../../core/ports/store/threads.ts'
import { firstIdAt } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { inOrder } from '../../engine/in-order.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import type { Params, Session } from '../../engine/session.ts'

/** How many notes of a thread are read. */
const MOST_NOTES = 200
/** How many threads with one subject are looked at. */
const MOST_ALIKE = 20

/** A condition: the reader of the parameter has not read the last message. */
const UNREAD = `not exists (select 1 from "thread_reads" as r
  where r."thread_id" = "threads"."id" and r."reader_id" = ? and r."read_at" >= "threads"."last_message_at")`

/** The threads, and what was read of them. */
export class SqlThreads extends PlainNoun<Thread> implements ThreadRepository {
  protected readonly rows = new Rows(this.access, this.tables.threads)
  readonly #reads = new Rows(this.access, this.tables.threadReads)

  async page(projectId: ProjectId, filter: ThreadFilter, { limit, after }: PageRequest): Promise<readonly Thread[]> {
    const { inboxId, folders, label, assigneeId, unreadBy, participant } = filter
    const { dialect } = this
    const parts: [string, ...unknown[]][] = [
      ['"inbox_id" = ?', inboxId],
      [dialect.unindexed('"project_id"'), projectId],
    ]
    parts.push([`"folder" in (${folders.map(() => '?').join(', ')})`, ...folders])
    if (label !== undefined)
      parts.push([`cast("labels" as text) like ? escape '\\'`, `%${escaped(JSON.stringify(label))}%`])
    if (assigneeId === 'none') parts.push(['"assignee_id" is null'])
    else if (assigneeId !== undefined) parts.push(['"assignee_id" = ?', assigneeId])
    if (unreadBy !== undefined) parts.push([UNREAD, unreadBy])
    if (participant !== undefined) parts.push([dialect.contains('cast("participants" as text)'), participant])
    if (after) parts.push(['("last_message_at", "id") < (?, ?)', this.#date(new Date(after.value)), after.id])
    const where = parts.map(([text]) => text).join(' and ')
    const sql = `select ${this.tables.threads.list} from "threads" where ${where}
      order by "last_message_at" desc, "id" desc limit ?`
    const rows = await this.access.all(sql, [...parts.flatMap(([, ...values]) => values), limit + 1])
    return rows.map((row) => this.tables.threads.record(row))
  }

  async withMail(
    projectId: ProjectId,
    inboxId: string,
    { messageIds, emailIds }: NamedMails,
  ): Promise<readonly Thread[]> {
    const { dialect } = this
    const sql = `select ${this.tables.threads.listOf('t')} from "threads" as t where t."id" in (
        select "thread_id" from "thread_mails" where "inbox_id" = ? and "message_id" ${dialect.listed('text')}
        union select "thread_id" from "thread_mails" where "inbox_id" = ? and "email_id" ${dialect.listed('uuid')})
      and t."project_id" = ? order by t."last_message_at" desc, t."id" desc`
    const params = [inboxId, dialect.list(messageIds), inboxId, dialect.list(emailIds), projectId]
    const rows = await this.access.all(sql, params)
    return rows.map((row) => this.tables.threads.record(row))
  }

  withSubject(projectId: ProjectId, inboxId: string, subjectKey: string, since: Date): Promise<readonly Thread[]> {
    const alike = { inboxId, subjectKey, lastMessageAt: { $gte: since }, projectId }
    return this.rows.list(alike, { orderBy: { lastMessageAt: 'desc', id: 'desc' }, limit: MOST_ALIKE })
  }

  async reads(
    projectId: ProjectId,
    threadIds: readonly string[],
    readerId: string,
  ): Promise<ReadonlyMap<string, Date>> {
    if (threadIds.length === 0) return new Map()
    const read = await this.#reads.list({ $and: [this.#reads.among('threadId', threadIds), { readerId, projectId }] })
    return new Map(read.map(({ threadId, readAt }) => [threadId, readAt]))
  }

  async read({ threadId, readerId, projectId }: Omit<ThreadRead, 'readAt'>, readAt: Date | undefined): Promise<void> {
    if (readAt === undefined) await this.#reads.remove({ threadId, readerId, projectId })
    else await this.#reads.put({ threadId, readerId, projectId, readAt }, { on: ['threadId', 'readerId'] })
  }

  async joinReads(projectId: ProjectId, from: Thread, into: Thread): Promise<void> {
    const last = from.lastMessageAt > into.lastMessageAt ? from.lastMessageAt : into.lastMessageAt
    const half = `delete from "thread_reads" where "thread_id" = ? and "project_id" = ? and ("read_at" < ? or not exists (
      select 1 from "thread_reads" as f where f."thread_id" = ? and f."reader_id" = "thread_reads"."reader_id" and f."read_at" >= ?))`
    const params = [into.id, projectId, this.#date(into.lastMessageAt), from.id, this.#date(from.lastMessageAt)]
    await this.access.run(half, params)
    await this.#reads.change({ threadId: into.id, projectId }, { readAt: last })
  }

  async copyReads(projectId: ProjectId, from: string, to: string): Promise<void> {
    const read = await this.#reads.list({ threadId: from, projectId })
    if (read.length > 0) await this.#reads.insert(...read.map((each): ThreadRead => ({ ...each, threadId: to })))
  }

  override async remove(projectId: ProjectId, id: string): Promise<boolean> {
    const these = [id, projectId]
    return this.access.write(async (session) => {
      for (const table of ['thread_notes', 'thread_reads'])
        await session.run(`delete from "${table}" where "thread_id" = ? and "project_id" = ?`, these)
      const loosen = `update "inbox_drafts" set "thread_id" = null where thread_id is not null and "thread_id" = ?
        and "project_id" = ? and "status" <> 'sent'`
      await session.run(loosen, these)
      return this.rows.in(session).remove({ projectId, id })
    })
  }

  async unread(
    projectId: ProjectId,
    inboxIds: readonly string[],
    readerId: string,
    atMost: number,
  ): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    const sql = `select count(*) as "count" from (select 1 from "threads" where "inbox_id" = ? and "folder" = 'inbox'
      and ${this.dialect.unindexed('"project_id"')} and ${UNREAD} order by "last_message_at" desc limit ?) as "first"`
    for (const inboxId of inboxIds) {
      const [row] = await this.access.all(sql, [inboxId, projectId, readerId, atMost])
      counts.set(inboxId, Number(row?.count))
    }
    return counts
  }

  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number> {
    const { dialect } = this
    return this.access.write(async (session) => {
      const sql = `select "id" from "threads" where "inbox_id" = ? and ${dialect.unindexed('"project_id"')} limit ?`
      const found = await session.all(sql, [inboxId, projectId, limit])
      if (found.length === 0) return 0
      return this.#remove(
        session,
        inboxId,
        found.map(({ id }) => String(id)),
      )
    })
  }

  leave(projectId: ProjectId, inboxId: string, emailIds: readonly string[]): Promise<void> {
    const { dialect } = this
    const mails = dialect.list(emailIds)
    return this.access.write(async (session) => {
      const these = `from "thread_mails" where "inbox_id" = ? and "email_id" ${dialect.listed('uuid')} and "project_id" = ?`
      const params = [inboxId, mails, projectId]
      const rows = await session.all(`select distinct "thread_id" ${these}`, params)
      const threads = dialect.list(rows.map((row) => String(row.thread_id)))
      await this.#forget(session, inboxId, [mails], `${dialect.listed('uuid')}`)
      await session.run(`delete ${these}`, params)
      const recount = `update "threads" set "message_count" = (select count(*) from "thread_mails" as m
        where m."thread_id" = "threads"."id") where "id" ${dialect.listed('uuid')}`
      await session.run(recount, [threads])
      const empty = `select "id" from "threads" where "id" ${dialect.listed('uuid')} and "message_count" = 0`
      const gone = await session.all(empty, [threads])
      if (gone.length > 0)
        await this.#remove(
          session,
          inboxId,
          gone.map(({ id }) => String(id)),
        )
    })
  }

  /** Removes threads of an inbox with all that is about them; answers how many. */
  async #remove(session: Session, inboxId: string, threadIds: readonly string[]): Promise<number> {
    const { dialect } = this
    const ids = [dialect.list(threadIds)]
    const their = `in (select "email_id" from "thread_mails" where "thread_id" ${dialect.listed('uuid')})`
    await this.#forget(session, inboxId, ids, their)
    await session.run(
      `delete from "draft_attachments" where "draft_id" in (select "id" from "inbox_drafts"
        where "thread_id" ${dialect.listed('uuid')})`,
      ids,
    )
    for (const table of ['thread_mails', 'thread_notes', 'thread_reads', 'inbox_drafts']) {
      await session.run(`delete from "${table}" where "thread_id" ${dialect.listed('uuid')}`, ids)
    }
    return session.run(`delete from "threads" where "id" ${dialect.listed('uuid')}`, ids)
  }

  /** Removes the words of mails that no other inbox has. */
  async #forget(session: Session, inboxId: string, ids: Params, which: string): Promise<void> {
    const orphans = `delete from "mail_words" where "email_id" ${which} and not exists (select 1 from "thread_mails" as m
      where m."email_id" = "mail_words"."email_id" and m."inbox_id" <> ?)`
    if (this.dialect.forgetWords !== undefined) await session.run(this.dialect.forgetWords, [])
    await session.run(orphans, [...ids, inboxId])
  }

  #date(date: Date): unknown {
    return this.dialect.encode('date')(date)
  }
}

/** The mails of threads. */
export class SqlThreadMails extends Repository implements ThreadMailRepository {
  readonly #mails = new Rows(this.access, this.tables.threadMails)

  async add(mails: readonly ThreadMail[]): Promise<ReadonlySet<string>> {
    if (mails.length === 0) return new Set()
    const { threadMails, name, list, columns } = { threadMails: this.tables.threadMails, ...this.tables.threadMails }
    const rows = inOrder([...mails], ({ inboxId, emailId }) => inboxId + emailId).map((mail) =>
      threadMails.values(mail),
    )
    // without the `where`, SQLite would take the conflict clause for a join
    const sql = `insert into ${name} (${list}) select ${list} from ${this.dialect.given(columns)} as given where true
      on conflict do nothing returning "email_id"`
    const params = this.dialect.givenParams(columns, rows)
    const added = await this.access.writeOnce((session) => session.all(sql, params))
    return new Set(added.map((row) => String(row.email_id)))
  }

  async page(projectId: ProjectId, threadId: string, { limit, after }: PageRequest): Promise<readonly ThreadMail[]> {
    const behind = after ? ' and ("at", "email_id") < (?, ?)' : ''
    const sql = `select ${this.tables.threadMails.list} from "thread_mails"
      where "thread_id" = ? and ${this.dialect.unindexed('"project_id"')}${behind} order by "at" desc, "email_id" desc limit ?`
    const from = after ? [this.#date(new Date(after.value)), after.id] : []
    const rows = await this.access.all(sql, [threadId, projectId, ...from, limit + 1])
    return rows.map((row) => this.tables.threadMails.record(row))
  }

  of(projectId: ProjectId, emailId: string): Promise<readonly ThreadMail[]> {
    return this.#mails.list({ emailId, projectId })
  }

  async old(projectId: ProjectId, inboxId: string, before: Date, limit: number) {
    // ids grow with time
    const sql = `select "email_id", exists (select 1 from "thread_mails" as o where o."email_id" = "thread_mails"."email_id"
        and o."inbox_id" <> "thread_mails"."inbox_id") as "elsewhere" from "thread_mails"
      where "inbox_id" = ? and "email_id" < ? and "at" < ? and ${this.dialect.unindexed('"project_id"')}
        and not exists (select 1 from "emails" as e where e."id" = "email_id" and e."status" in ('QUEUED', 'SENDING'))
      order by "email_id" limit ?`
    const rows = await this.access.all(sql, [inboxId, firstIdAt(before), this.#date(before), projectId, limit])
    return rows.map((row) => ({
      emailId: String(row.email_id),
      isElsewhere: this.dialect.decode('boolean')(row.elsewhere) === true,
    }))
  }

  async named(projectId: ProjectId, { messageIds, emailIds }: NamedMails): Promise<readonly ThreadMail[]> {
    const { dialect } = this
    const { list } = this.tables.threadMails
    const sql = `select ${list} from (select ${list}, "project_id" as "of" from "thread_mails"
          where "message_id" ${dialect.listed('text')}
        union select ${list}, "project_id" as "of" from "thread_mails" where "email_id" ${dialect.listed('uuid')}) as m
      where "of" = ? order by "at" desc, "email_id" desc limit ${MOST_ALIKE}`
    const rows = await this.access.all(sql, [dialect.list(messageIds), dialect.list(emailIds), projectId])
    return rows.map((row) => this.tables.threadMails.record(row))
  }

  move(projectId: ProjectId, from: string, to: string, emailIds?: readonly string[]): Promise<number> {
    const { dialect } = this
    const some = emailIds === undefined ? '' : ` and "email_id" ${dialect.listed('uuid')}`
    const sql = `update "thread_mails" set "thread_id" = ? where "thread_id" = ? and "project_id" = ?${some}`
    return this.access.run(sql, [to, from, projectId, ...(emailIds === undefined ? [] : [dialect.list(emailIds)])])
  }

  async remove(projectId: ProjectId, threadId: string, emailId: string): Promise<void> {
    await this.#mails.remove({ threadId, emailId, projectId })
  }

  count(projectId: ProjectId, threadId: string): Promise<number> {
    return this.#mails.count({ threadId, projectId })
  }

  #date(date: Date): unknown {
    return this.dialect.encode('date')(date)
  }
}

/** The notes of the team at threads. */
export class SqlThreadNotes extends Repository implements ThreadNoteRepository {
  readonly #notes = new Rows(this.access, this.tables.threadNotes)

  of(projectId: ProjectId, threadId: string): Promise<readonly ThreadNote[]> {
    return this.#notes.list({ threadId, projectId }, { orderBy: { id: 'asc' }, limit: MOST_NOTES })
  }

  add(note: ThreadNote): Promise<void> {
    return this.#notes.insert(note)
  }

  remove(projectId: ProjectId, threadId: string, id: string): Promise<boolean> {
    return this.#notes.remove({ id, threadId, projectId })
  }

  async move(projectId: ProjectId, from: string, to: string): Promise<void> {
    await this.#notes.change({ threadId: from, projectId }, { threadId: to })
  }
}

/** The text with the signs that `like` gives a meaning taken literally. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
