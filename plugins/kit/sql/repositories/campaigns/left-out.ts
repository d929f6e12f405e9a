/* SQL by hand: one list of two tables, and a part of very many rows is removed by its index. */
import { DELETED_RECIPIENT, type SkipReason } from '../../../../../core/ports/store/emails.ts'
import type {
  LeftOut,
  LeftOutContact,
  LeftOutReasons,
  LeftOutRepository,
} from '../../../../../core/ports/store/left-out.ts'
import { momentOf } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { ofCampaignBy } from '../emails/chosen-mails.ts'

/** The contacts whom a campaign left out: rows for those without a mail, and mails that were skipped. */
export class SqlLeftOut extends Repository implements LeftOutRepository {
  async add(contacts: readonly LeftOut[]): Promise<void> {
    await this.access.write((session) => this.tables.leftOut.insertShort(session, contacts))
  }

  async page(
    projectId: ProjectId,
    campaignId: string,
    { atStart, later }: LeftOutReasons,
    { limit, before }: { readonly limit: number; readonly before?: string },
  ): Promise<readonly LeftOutContact[]> {
    const { dialect } = this
    const mails = ofCampaignBy(dialect, projectId, campaignId, 'SKIPPED')
    mails.where.and(`"skip_reason" ${dialect.listed('text')}`, dialect.list(later))
    if (before !== undefined) mails.where.and('"id" < ?', before)
    const lists = [
      {
        sql: `select "id", "contact_id", "skip_reason" as "reason", 1 as "has_mail"
          from ${mails.from} where ${mails.where.text}`,
        params: mails.where.params,
      },
      // each is the end of a stretch of the key
      ...atStart.map((reason) => ({
        sql: `select "id", "contact_id", "reason", 0 as "has_mail" from "campaign_left_out"
          where "campaign_id" = ? and "reason" = ? and ("project_id" = ?) is true${before === undefined ? '' : ' and "id" < ?'}`,
        params: [campaignId, reason, projectId, ...(before === undefined ? [] : [before])],
      })),
    ]
    const each = lists.map(({ sql }) => `select * from (${sql} order by "id" desc limit ?) as "list"`)
    const sql = `select o."id", o."reason", e."updated_at" as "at", coalesce(e."to", c."email") as "email",
        case when o."has_mail" = 1 then o."contact_id" else c."id" end as "contact_id"
      from (select * from (${each.join(' union all ')}) as "all" order by "id" desc limit ?) as o
      left join "emails" as e on o."has_mail" = 1 and e."id" = o."id"
      left join "contacts" as c on o."has_mail" = 0 and c."id" = o."contact_id"
      order by o."id" desc`
    const params = [...lists.flatMap((list) => [...list.params, limit + 1]), limit + 1]
    const date = dialect.decode('date')
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map(({ id, contact_id, email, reason, at }) => ({
      id: String(id),
      ...(contact_id === null ? {} : { contactId: String(contact_id) }),
      email: email === null ? DELETED_RECIPIENT : String(email),
      reason: reason as LeftOut['reason'] | SkipReason,
      at: at === null ? momentOf(String(id)) : (date(at) as Date),
    }))
  }

  removeLeft(limit: number): Promise<number> {
    const next = (after: string) =>
      `(select l."campaign_id" from "campaign_left_out" as l ${after} order by l."campaign_id" limit 1)`
    // from one campaign to the next, not over all their rows
    const gone = `with recursive "those" as (select ${next('')} as "id"
        union all select ${next('where l."campaign_id" > "those"."id"')} from "those" where "id" is not null)
      select "id" from "those" where "id" is not null
        and not exists (select 1 from "campaigns" as c where c."id" = "those"."id") limit 1`
    const remove = `delete from "campaign_left_out" where ("campaign_id", "reason", "id") in (
      select "campaign_id", "reason", "id" from "campaign_left_out" where "campaign_id" = ? limit ?)`
    return this.access.write(async (session) => {
      const [first] = await session.all(gone, [])
      return first === undefined ? 0 : session.run(remove, [first.id, limit])
    })
  }
}
