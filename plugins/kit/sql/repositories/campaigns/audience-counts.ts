import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type { AudienceCounts } from '../../../../../core/ports/store/campaign-mails.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { Conditions } from '../../engine/conditions.ts'
import { audienceSql } from '../../filters/audience-sql.ts'

/** Counts an audience by what would happen to its mails, in one pass over the contacts. */
export async function countAudience(
  access: Access,
  projectId: ProjectId,
  audience: Audience,
  now: Date,
): Promise<AudienceCounts> {
  const { dialect } = access
  const { text, params } = audienceSql(dialect, audience, 'c')
  const where = new Conditions().and('c."project_id" = ?', projectId).and(text, ...params)
  const sql = `select count(*) as "all", count(*) filter (where "suppressed") as "suppressed",
      count(*) filter (where not "suppressed" and not "subscribed") as "unsubscribed"
    from (select c."subscribed", exists (select 1 from "suppressions" as s
        where s."project_id" = c."project_id" and s."email" = c."email"
        and (s."expires_at" is null or s."expires_at" > ?)) as "suppressed"
      from "contacts" as c where ${where.text}) as "those"`
  const [row] = await access.scan(projectId, (session) =>
    session.all(sql, [dialect.encode('date')(now), ...where.params]),
  )
  const [all, suppressed, unsubscribed] = [Number(row?.all), Number(row?.suppressed), Number(row?.unsubscribed)]
  return { mailable: all - suppressed - unsubscribed, unsubscribed, suppressed }
}
