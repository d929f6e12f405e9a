/* SQL by hand: the index of each database is asked in its own words, and joined to the threads that have the mails. */

import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import type {
  FoundMail,
  MailWords,
  MailWordsRepository,
  WordSearch,
} from '../../../../../core/ports/store/mail-words.ts'
import type { ThreadMail } from '../../../../../core/ports/store/threads.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import { readTexts } from '../emails/contents.ts'

/** The words by which mails of inboxes are found. Triggers keep the index of the database. */
export class SqlMailWords extends Repository implements MailWordsRepository {
  readonly #words = new Rows(this.access, this.tables.mailWords)
  readonly #mails = new Rows(this.access, this.tables.threadMails)

  missing(limit: number): Promise<readonly ThreadMail[]> {
    const waiting = this.#mails.literally('indexed_at is null')
    return this.#mails.list(waiting, { orderBy: { at: 'desc', emailId: 'desc' }, limit })
  }

  async put(words: readonly MailWords[], now: Date): Promise<void> {
    if (words.length === 0) return
    const { dialect } = this
    const rows = inOrder([...words], ({ emailId }) => emailId)
    await this.access.write(async (session) => {
      const own = this.#words.in(session)
      for (const each of rows) await own.put(each, { on: ['emailId'] })
      const sql = `update "thread_mails" set "indexed_at" = ? where "email_id" ${dialect.listed('uuid')} and "indexed_at" is null`
      await session.run(sql, [dialect.encode('date')(now), dialect.list(rows.map(({ emailId }) => emailId))])
    })
  }

  async search(projectId: ProjectId, search: WordSearch, limit: number): Promise<readonly FoundMail[]> {
    const { terms, scopes } = search
    if (terms.length === 0 || scopes.length === 0) return []
    if (!terms.some(({ isBeginning }) => isBeginning)) return this.#search(projectId, search, limit)
    // the mails of all words that begin so have to be joined before the newest are known: only where whole words are rare
    const whole = { ...search, terms: terms.map(({ words }) => ({ words, isBeginning: false })) }
    const found = await this.#search(projectId, whole, limit)
    return found.length === limit ? found : this.#search(projectId, search, limit)
  }

  async #search(projectId: ProjectId, search: WordSearch, limit: number): Promise<readonly FoundMail[]> {
    const { terms, scopes, inboxIds, folders } = search
    const { dialect } = this
    const found = dialect.searchMails(terms, scopes)
    const some = inboxIds === undefined ? '' : ` and m."inbox_id" ${dialect.listed('uuid')}`
    // `cross join`: in this order, since SQLite would look at all mails of the inbox first
    const sql = `select m."thread_id", m."email_id", m."inbox_id", m."at", f."score" from (${found.text}) as f
      cross join "thread_mails" as m cross join "threads" as t
      where m."email_id" = f."email_id" and t."id" = m."thread_id" and m."project_id" = ? and t."folder" in (${folders.map(() => '?').join(', ')})${some}
      order by f."score" desc, m."at" desc, m."email_id" desc limit ?`
    const within = inboxIds === undefined ? [] : [dialect.list(inboxIds)]
    const params = [...found.params, projectId, ...folders, ...within, limit]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map((row) => ({
      threadId: String(row.thread_id),
      emailId: String(row.email_id),
      inboxId: String(row.inbox_id),
      at: dialect.decode('date')(row.at) as Date,
      score: Number(row.score),
    }))
  }

  texts(projectId: ProjectId, emailIds: readonly string[]): Promise<ReadonlyMap<string, MailContent>> {
    const { dialect, tables } = this
    const sql = `select "id", "content_id" from "emails" where "id" ${dialect.listed('uuid')} and "project_id" = ?`
    return this.access.read(async (session) => {
      const mails = await session.all(sql, [dialect.list(emailIds), projectId])
      const ids = mails.map((row) => String(row.content_id))
      const contents = new Map((await readTexts(dialect, tables, session, ids)).map((each) => [each.id, each]))
      return new Map(
        mails.flatMap((row) => {
          const content = contents.get(String(row.content_id))
          return content === undefined ? [] : [[String(row.id), content] as const]
        }),
      )
    })
  }

  mend(): Promise<number> {
    const sql = `update "thread_mails" set "indexed_at" = null where "indexed_at" is not null
      and not exists (select 1 from "mail_words" as w where w."email_id" = "thread_mails"."email_id"
        and ${this.dialect.isSearched('w."email_id"')})`
    return this.access.run(sql, [])
  }
}
