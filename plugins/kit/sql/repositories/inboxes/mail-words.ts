/* SQL by hand: the index of each database is asked in its own words, and joined to the threads that have the mails. */

import type {
  FoundMail,
  MailText,
  MailWords,
  MailWordsRepository,
  Mended,
  WordSearch,
} from '../../../../../core/ports/store/mail-words.ts'
import type { ThreadMail } from '../../../../../core/ports/store/threads.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

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

  texts(projectId: ProjectId, emailIds: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, MailText>> {
    const { dialect } = this
    const sizes = `select e."id", e."content_id", c."received", coalesce(${dialect.octets('c."text"')}, 0) as "text",
      ${dialect.octets('c."html"')} as "html" from "emails" as e join "mail_contents" as c on c."id" = e."content_id"
      where e."id" ${dialect.listed('uuid')} and e."project_id" = ? and c."links_only" is not true`
    const listed = dialect.listed('uuid')
    const sql = `select "id", "text" as "words" from "mail_contents" where "id" ${listed} union all
      select "id", "html" as "words" from "mail_contents" where "id" ${listed}`
    return this.access.read(async (session) => {
      const rows = await session.all(sizes, [dialect.list(emailIds), projectId])
      const mails = new Map(rows.map((row) => [String(row.id), row]))
      const wanted = { text: new Set<string>(), html: new Set<string>() }
      let left = maxBytes
      for (const id of emailIds) {
        const { content_id: contentId, text, html } = mails.get(id) ?? {}
        const size = Number(text) || Number(html)
        if (contentId === undefined || size > left) continue
        left -= size
        wanted[Number(text) > 0 ? 'text' : 'html'].add(String(contentId))
      }
      const words = new Map<string, string>()
      for (const row of await session.all(sql, [dialect.list([...wanted.text]), dialect.list([...wanted.html])])) {
        words.set(String(row.id), String(await dialect.unpacked(row.words)))
      }
      const texts = new Map<string, MailText>()
      for (const id of emailIds) {
        const { content_id: contentId, received } = mails.get(id) ?? {}
        const text = words.get(String(contentId))
        if (text === undefined) continue
        texts.set(id, { text, isHtml: wanted.html.has(String(contentId)), received: Boolean(received) })
      }
      return texts
    })
  }

  async mend(after: string, limit: number): Promise<Mended> {
    const next = 'select "email_id" from "thread_mails" where "email_id" > ? order by "email_id" limit 1 offset ?'
    const [end] = await this.access.all(next, [after, limit - 1])
    const sql = `update "thread_mails" set "indexed_at" = null where "email_id" > ? ${end ? 'and "email_id" <= ?' : ''}
      and "indexed_at" is not null
      and not exists (select 1 from "mail_words" as w where w."email_id" = "thread_mails"."email_id"
        and ${this.dialect.isSearched('w."email_id"')})`
    const lost = await this.access.run(sql, end ? [after, end.email_id] : [after])
    return end ? { lost, last: String(end.email_id) } : { lost }
  }
}
