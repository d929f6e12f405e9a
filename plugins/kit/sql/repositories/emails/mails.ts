/* SQL by hand: a search names the index by which it reads, since the ledger is large. */
import type { Email, MailTry } from '../../../../../core/ports/store/emails.ts'
import type {
  FoundMails,
  MailedSince,
  MailRepository,
  MailSearch,
  NewDate,
} from '../../../../../core/ports/store/mails.ts'
import { firstIdAt } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { GivenColumn } from '../../engine/dialect.ts'
import { Repository } from '../../engine/repository.ts'
import type { Row } from '../../engine/session.ts'
import { HIDDEN_OF_MAIL } from '../../engine/tables.ts'
import type { Chosen } from './chosen-mails.ts'
import { CAUGHT, idBounds, mailConditions, searchedMails } from './chosen-mails.ts'
import { type StoredTry, triesOf } from './stored-tries.ts'

/** A mail that its recipient has, or is about to get. */
const REACHES = `x."status" not in ('SKIPPED', 'FAILED', 'BOUNCED')`

const ASKED: readonly GivenColumn[] = [
  { name: 'place', kind: 'integer' },
  { name: 'contact', kind: 'uuid' },
  { name: 'since', kind: 'date' },
]

/** How many mails are looked through at once: some milliseconds. */
const PIECE = 5_000
/** A piece that took less is followed by a larger one. */
const SHORT_MS = 8
const LARGEST_PIECE = 80_000

/** How long before it is sent a mail may have been accepted. */
const WEEK_MS = 7 * 86_400_000
/** The same for mails that a plan may hold back. */
const YEAR_MS = 366 * 86_400_000

/** Mails of the ledger, as people ask for them. */
export class SqlMails extends Repository implements MailRepository {
  readonly #list = this.tables.emails.listOf('', HIDDEN_OF_MAIL)

  async mailedSince(
    projectId: ProjectId,
    contactIds: readonly string[],
    since: Date,
  ): Promise<ReadonlyMap<string, number>> {
    if (contactIds.length === 0) return new Map()
    const { dialect } = this
    const sql = `select x."contact_id", count(*) as "count" from ${dialect.byIndex('emails', 'emails_by_contact', 'x')}
      where x."project_id" = ? and x."contact_id" ${dialect.listed('uuid')} and x."id" >= ?
      and x."source_type" in ('CAMPAIGN', 'WORKFLOW') and ${REACHES} and (x."sent_at" is null or x."sent_at" >= ?)
      group by x."contact_id"`
    const first = firstIdAt(new Date(since.getTime() - WEEK_MS))
    const params = [projectId, dialect.list(contactIds), first, dialect.encode('date')(since)]
    const rows = await this.access.all(sql, params)
    return new Map(rows.map((row) => [String(row.contact_id), Number(row.count)]))
  }

  async marketingSince(projectId: ProjectId, asked: readonly MailedSince[]): Promise<readonly number[]> {
    if (asked.length === 0) return []
    const { dialect } = this
    const date = dialect.encode('date')
    // MARKETING MAIL BY CONTACT: `cross join` and the index named, or SQLite would go through the project's mails; ids are by
    // time, so a year before is where each contact's part of the index begins. Index: `emails_by_contact`.
    const sql = `select g."place", count(*) as "count" from ${dialect.given(ASKED)} as g
      cross join ${dialect.byIndex('emails', 'emails_by_contact', 'x')}
      where x."project_id" = ? and x."contact_id" = g."contact" and x."id" >= ? and ${REACHES}
      and (x."source_type" in ('WORKFLOW', 'TRANSACTIONAL') or x."campaign_id" is not null)
      and (x."sent_at" is null or x."sent_at" >= g."since")
      and exists (select 1 from "mail_contents" as c where c."id" = x."content_id" and c."marketing") group by g."place"`
    const earliest = Math.min(...asked.map(({ since }) => since.getTime()))
    const given = dialect.givenParams(
      ASKED,
      asked.map(({ contactId, since }, place) => [place, contactId, date(since)]),
    )
    const rows = await this.access.all(sql, [...given, projectId, firstIdAt(new Date(earliest - YEAR_MS))])
    const counts = new Map(rows.map(({ place, count }) => [Number(place), Number(count)]))
    return asked.map((_, place) => counts.get(place) ?? 0)
  }

  async search(projectId: ProjectId, search: MailSearch, page: PageRequest, forMs: number): Promise<FoundMails> {
    const wanted = page.limit + 1
    const conditions = mailConditions(this.dialect, search)
    const found: Email[] = []
    const { address } = search
    if (address !== undefined) {
      for (const source of await this.#mailsTo(projectId, search, address))
        found.push(...(await this.#read(projectId, source, [below(page.after?.id), conditions], wanted)))
      return { mails: found.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, wanted) }
    }
    const lookedTo = await this.#inPieces(projectId, search, page.after?.id, forMs, async (source, piece) => {
      found.push(...(await this.#read(projectId, source, [...piece, conditions], wanted - found.length)))
      return found.length < wanted
    })
    return lookedTo === undefined ? { mails: found } : { mails: found, lookedTo }
  }

  async countFound(projectId: ProjectId, search: MailSearch, forMs: number): Promise<number | undefined> {
    const conditions = mailConditions(this.dialect, search)
    const countOf = async (source: Chosen, more: readonly Conditions[]) => {
      const { text, params } = joined(source, more)
      const [row] = await this.#scan(projectId, `select count(*) as "count" from ${source.from} where ${text}`, params)
      return Number(row?.count)
    }
    let sum = 0
    if (search.address !== undefined) {
      for (const source of await this.#mailsTo(projectId, search, search.address))
        sum += await countOf(source, [conditions])
      return sum
    }
    const lookedTo = await this.#inPieces(projectId, search, undefined, forMs, async (source, piece) => {
      sum += await countOf(source, [...piece, conditions])
      return true
    })
    return lookedTo === undefined ? sum : undefined
  }

  async tries(projectId: ProjectId, id: string): Promise<readonly MailTry[]> {
    const sql = 'select "tries" from "emails" where "project_id" = ? and "id" = ?'
    const [row] = await this.access.all(sql, [projectId, id])
    const tries = row?.tries ?? null
    return tries === null ? [] : triesOf(this.dialect.decode('json')(tries) as readonly StoredTry[])
  }

  cancel(projectId: ProjectId, id: string, now: Date): Promise<boolean> {
    const sql = `update "emails" set "status" = 'SKIPPED', "skip_reason" = 'cancelled', "updated_at" = ?
      where "project_id" = ? and "id" = ? and "status" = 'QUEUED'`
    return this.#changed(sql, [this.#date(now), projectId, id])
  }

  redate(projectId: ProjectId, id: string, { dueAt, expiresAt }: NewDate, now: Date): Promise<boolean> {
    // a mail that was never touched stays so, which tells set-back.ts that its due time was given by a caller
    const sql = `update "emails" set "due_at" = ?, "expires_at" = coalesce(?, "expires_at"),
      "updated_at" = case when "updated_at" = "created_at" then "updated_at" else ? end
      where "project_id" = ? and "id" = ? and "status" = 'QUEUED'`
    const params = [this.#date(dueAt), expiresAt ? this.#date(expiresAt) : null, this.#date(now), projectId, id]
    return this.#changed(sql, params)
  }

  clearCaught(
    projectId: ProjectId,
    which: { readonly limit: number } | { readonly id: string },
    now: Date,
  ): Promise<number> {
    const [more, value] = 'id' in which ? ['and "id" = ?', which.id] : ['order by "id" limit ?', which.limit]
    const some = `select "id" from "emails" where "project_id" = ? and ${CAUGHT} ${more}`
    const sql = `update "emails" set "skip_reason" = 'cleared', "updated_at" = ? where "id" in (${some}) and ${CAUGHT}`
    return this.access.run(sql, [this.#date(now), projectId, value])
  }

  /**
   * Goes through the mails a search is about, newest first, piece by piece, until `work` answers false or the time is
   * up: then it answers the id it has come to.
   */
  async #inPieces(
    projectId: ProjectId,
    search: MailSearch,
    after: string | undefined,
    forMs: number,
    work: (source: Chosen, piece: readonly Conditions[]) => Promise<boolean>,
  ): Promise<string | undefined> {
    const end = performance.now() + forMs
    const source = searchedMails(this.dialect, projectId, search)
    const bounds = idBounds(search)
    for (let [before, size, begun] = [after, PIECE, performance.now()]; ; begun = performance.now()) {
      const upper = [bounds, below(before)]
      const { text, params } = joined(source, upper)
      const last = `select "id" from ${source.from} where ${text} order by "id" desc limit 1 offset ${size}`
      const [row] = await this.#scan(projectId, last, params)
      const from = row === undefined ? undefined : String(row.id)
      const lower = from === undefined ? new Conditions() : new Conditions().and('"id" >= ?', from)
      if (!(await work(source, [...upper, lower])) || from === undefined) return undefined
      const now = performance.now()
      if (now > end) return from
      // rows that are read from an index alone take a tenth of the time
      if (now - begun < SHORT_MS) size = Math.min(2 * size, LARGEST_PIECE)
      before = from
    }
  }

  /** The mails to an address: those of no campaign by an index, those of campaigns by the contact that has it. */
  async #mailsTo(projectId: ProjectId, search: MailSearch, address: string): Promise<readonly Chosen[]> {
    const sql = 'select "id" from "contacts" where "project_id" = ? and "email" = ?'
    const [contact] = await this.access.all(sql, [projectId, address])
    const bounds = idBounds(search)
    const { status, contactId, campaignId } = search
    const among = (where: Conditions): Chosen => ({
      from: '"emails"',
      where: where
        .and(bounds.text || 'true', ...bounds.params)
        .equal('"status"', status)
        .equal('"contact_id"', contactId)
        .equal('"campaign_id"', campaignId),
    })
    const single = new Conditions().and('"project_id" = ? and "to" = ? and "campaign_id" is null', projectId, address)
    if (contact === undefined) return [among(single)]
    const ofCampaigns = '"project_id" = ? and "contact_id" = ? and "campaign_id" is not null and "to" = ?'
    return [among(single), among(new Conditions().and(ofCampaigns, projectId, contact.id, address))]
  }

  async #read(
    projectId: ProjectId,
    source: Chosen,
    more: readonly Conditions[],
    limit: number,
  ): Promise<readonly Email[]> {
    const { text, params } = joined(source, more)
    const sql = `select ${this.#list} from ${source.from} where ${text} order by "id" desc limit ?`
    return (await this.#scan(projectId, sql, [...params, limit])).map((row) => this.tables.emails.record(row))
  }

  #scan(projectId: ProjectId, sql: string, params: readonly unknown[]): Promise<readonly Row[]> {
    return this.access.scan(projectId, (session) => session.all(sql, params))
  }

  async #changed(sql: string, params: readonly unknown[]): Promise<boolean> {
    return (await this.access.run(sql, params)) > 0
  }

  #date(date: Date): unknown {
    return this.dialect.encode('date')(date)
  }
}

function below(id: string | undefined): Conditions {
  return id === undefined ? new Conditions() : new Conditions().and('"id" < ?', id)
}

function joined({ where }: Chosen, more: readonly Conditions[]) {
  const all = [where, ...more].filter(({ text }) => text !== '')
  return { text: all.map(({ text }) => text).join(' and '), params: all.flatMap(({ params }) => params) }
}
