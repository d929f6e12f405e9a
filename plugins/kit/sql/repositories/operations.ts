/* SQL by hand: counts that are read as the database keeps them, of all projects at once. */
import { LANES } from '../../../../core/ports/queue.ts'
import type { OperationsRepository, QueueDepth, WaitingWork } from '../../../../core/ports/store/operations.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect } from '../engine/dialect.ts'
import { MIGRATIONS } from '../engine/migrate.ts'
import { Repository } from '../engine/repository.ts'

/** The scans of operators wait for each other, not for those of a project. */
const OPERATOR = 'operator' as ProjectId

/** Due and oldest of a group of rows with a due time. */
const OF_DUE = `count(*) as "waiting", sum(case when "due_at" <= ? then 1 else 0 end) as "due", min("due_at") as "oldest"`

/**
 * The waiting rows of each kind, read from the indexes of the claims. Each has one parameter, the time. Where the index is named, SQLite
 * would go through all rows of another that has them by project, those of finished work included.
 */
const waitingOf = (dialect: Dialect): readonly { readonly queue?: WaitingWork; readonly sql: string }[] => [
  {
    sql: `select "lane", "project_id", ${OF_DUE} from "emails"
      where "status" = 'QUEUED' and "campaign_id" is null group by "lane", "project_id"`,
  },
  {
    // the index knows the campaign, and a campaign its project: no row of a mail is read
    queue: 'campaign',
    sql: `select c."project_id", sum(m."waiting") as "waiting", sum(m."due") as "due", min(m."oldest") as "oldest"
      from (select "campaign_id", ${OF_DUE} from "emails"
        where "status" = 'QUEUED' and "campaign_id" is not null group by "campaign_id") m
      join "campaigns" c on c."id" = m."campaign_id" group by c."project_id"`,
  },
  {
    queue: 'webhooks',
    sql: grouped(dialect.byIndex('webhook_deliveries', 'webhook_deliveries_due'), `"status" = 'PENDING'`),
  },
  {
    queue: 'executions',
    sql: grouped(dialect.byIndex('workflow_executions', 'workflow_executions_due'), '"due_at" is not null'),
  },
  { queue: 'inbound', sql: grouped('"inbound_messages"', '1 = 1') },
  {
    // their due time says nothing before they were tried
    queue: 'requests',
    sql: `select "project_id", count(*) as "waiting", sum(case when "due_at" <= ? then 1 else 0 end) as "due",
      min("created_at") as "oldest" from "send_requests" where "status" = 'WAITING' group by "project_id"`,
  },
  {
    queue: 'contactJobs',
    sql: `select "project_id", count(*) as "waiting", sum(case when "created_at" <= ? then 1 else 0 end) as "due",
      min("created_at") as "oldest" from "contact_jobs" where "state" in ('waiting', 'active') group by "project_id"`,
  },
]

/** Questions over all projects. */
export class SqlOperations extends Repository implements OperationsRepository {
  async queues(now: Date): Promise<readonly QueueDepth[]> {
    const { dialect } = this
    const at = dialect.encode('date')(now)
    const date = dialect.decode('date')
    const found = new Map<string, QueueDepth>()
    for (const { queue: given, sql } of waitingOf(dialect)) {
      const rows = await this.access.scan(OPERATOR, (session) => session.all(sql, [at]))
      for (const { lane, project_id, waiting, due, oldest } of rows) {
        const queue = given ?? LANES[Number(lane)] ?? 'campaign'
        const projectId = dialect.decode('uuid')(project_id) as ProjectId
        const row = { queue, projectId, waiting: Number(waiting), due: Number(due), oldest: date(oldest) as Date }
        // mail of a deleted campaign waits beside that of others
        found.set(`${queue} ${projectId}`, together(row, found.get(`${queue} ${projectId}`)))
      }
    }
    return [...found.values()]
  }

  async database(): Promise<{ schema: string; bytes: number }> {
    const { databaseBytes } = this.dialect
    return this.access.read(async (session) => {
      const [last] = await session.all(`select max("name") as "name" from "${MIGRATIONS}" where "name" like '0%'`, [])
      const [size] = await session.all(`select ${databaseBytes} as "bytes"`, [])
      return { schema: String(last?.name ?? ''), bytes: Number(size?.bytes) }
    })
  }
}

function together(one: QueueDepth, other: QueueDepth | undefined): QueueDepth {
  if (other === undefined) return one
  const oldest = one.oldest < other.oldest ? one.oldest : other.oldest
  return { ...one, waiting: one.waiting + other.waiting, due: one.due + other.due, oldest }
}

function grouped(from: string, waits: string): string {
  return `select "project_id", ${OF_DUE} from ${from} where ${waits} group by "project_id"`
}
