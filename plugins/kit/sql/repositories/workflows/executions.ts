/* SQL by hand: moves under a lease, and a statement of each kind for many executions. */
import type {
  ClaimedExecution,
  ContactExecution,
  Execution,
  ExecutionFilter,
  ExecutionRepository,
  ExecutionsFilter,
} from '../../../../../core/ports/store/executions.ts'
import type { ClaimLease } from '../../../../../core/ports/store/interrupted.ts'
import type { StepRun } from '../../../../../core/ports/store/step-runs.ts'
import type { NumberedRequest, PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import { CLAIM, FREE } from '../../engine/claim.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { StoredExecution } from '../../engine/execution-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params, Row, Session } from '../../engine/session.ts'
import type { Patch } from '../../engine/table.ts'
import type { Tables } from '../../engine/tables.ts'

/** The workflow executions. Every frequent method is a few statements for all its rows. */
export class SqlExecutions extends Repository implements ExecutionRepository {
  readonly #leased = new LeasedRows(this.access, 'workflow_executions')
  readonly #list = this.tables.executions.listOf('', CLAIM)

  async find(projectId: ProjectId, workflowId: string, id: string): Promise<Execution | undefined> {
    const sql = `select ${this.#list} from "workflow_executions" where "project_id" = ? and "workflow_id" = ? and "id" = ?`
    return (await this.#read(sql, [projectId, workflowId, id]))[0]
  }

  page(
    projectId: ProjectId,
    workflowId: string,
    filter: ExecutionsFilter,
    page: NumberedRequest,
  ): Promise<readonly Execution[]> {
    const { ran } = filter
    const where = ran ? runsOf(projectId, workflowId, ran) : chosen(projectId, workflowId, filter)
    const id = ran ? '"execution_id"' : '"id"'
    if (page.after) where.and(`${id} < ?`, page.after.id)
    const params = [...where.params, page.limit + 1, page.offset ?? 0]
    const cut = `where ${where.text} order by ${id} desc limit ? offset ?`
    if (ran === undefined) return this.#read(`select ${this.#list} from "workflow_executions" ${cut}`, params)
    // the index of step runs has them in this order: only those of the page are looked up
    const ids = `select distinct "execution_id" from "workflow_step_runs" ${cut}`
    return this.#read(
      `select ${this.#list} from "workflow_executions" where "id" in (select * from (${ids}) as r) order by "id" desc`,
      params,
    )
  }

  async count(projectId: ProjectId, workflowId: string, filter: ExecutionsFilter): Promise<number> {
    const { ran } = filter
    const where = ran ? runsOf(projectId, workflowId, ran) : chosen(projectId, workflowId, filter)
    const sql = ran
      ? `select count(distinct "execution_id") as "count" from "workflow_step_runs" where ${where.text}`
      : `select count(*) as "count" from "workflow_executions" where ${where.text}`
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  async ofContact(
    projectId: ProjectId,
    contactId: string,
    filter: ExecutionFilter,
    page: PageRequest,
  ): Promise<readonly ContactExecution[]> {
    const { dialect } = this
    const { executions } = this.tables
    const where = ofContact(projectId, contactId, filter)
    if (page.after) where.and('x."id" < ?', page.after.id)
    // variables and events may have a megabyte each
    const without = [...CLAIM, 'context', 'event']
    // the page first: from the few workflows on, all of their executions would be gone through
    const sql = `select ${executions.listOf('x', without)}, w."name" as "workflow_name", s."type" as "step_type",
        s."name" as "step_name"
      from (select ${executions.listOf('x', without)}
        from ${dialect.byIndex('workflow_executions', 'workflow_executions_of_contact', 'x')}
        where ${where.text} order by x."id" desc limit ?) as x
      left join "workflows" as w on w."id" = x."workflow_id" left join "workflow_steps" as s on s."id" = x."current_step_id"
      order by x."id" desc`
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [...where.params, page.limit + 1]))
    return rows.map((row) => {
      const { id, workflowId, status, currentStepId, exitReason, error, ...rest } = executions.record(row)
      const { startedAt, completedAt, updatedAt } = rest
      return {
        id,
        workflowId,
        workflowName: String(row.workflow_name ?? ''),
        status,
        ...(currentStepId === undefined || row.step_type === null
          ? {}
          : { step: { id: currentStepId, type: String(row.step_type), name: String(row.step_name) } }),
        ...(exitReason === undefined ? {} : { exitReason }),
        ...(error === undefined ? {} : { error }),
        startedAt,
        ...(completedAt === undefined ? {} : { completedAt }),
        updatedAt,
      }
    })
  }

  async countOfContact(projectId: ProjectId, contactId: string, filter: ExecutionFilter): Promise<number> {
    const { dialect } = this
    const where = ofContact(projectId, contactId, filter)
    const from = dialect.byIndex('workflow_executions', 'workflow_executions_of_contact', 'x')
    const sql = `select count(*) as "count" from ${from} where ${where.text}`
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  async cancel(projectId: ProjectId, ids: readonly string[], now: Date): Promise<readonly Execution[]> {
    if (ids.length === 0) return []
    const { dialect } = this
    const which = { projectId, by: 'id', ids } as const
    const rows = await this.access.write((session) =>
      cancelExecutions(dialect, session, which, this.#list, { at: now }),
    )
    return rows.map((row) => this.tables.executions.record(row))
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }

  async start(executions: readonly Execution[]): Promise<ReadonlySet<string>> {
    if (executions.length === 0) return new Set()
    const { dialect } = this
    return this.access.write((session) => startExecutions(dialect, this.tables, session, executions))
  }

  async claimDue(now: Date, limit: number, lease: ClaimLease): Promise<readonly ClaimedExecution[]> {
    const claimed = await this.#leased.claim(this.tables.executions, now, limit, lease)
    return claimed.map((execution) => ({ ...execution, token: lease.token }))
  }

  advance(moves: Parameters<ExecutionRepository['advance']>[0]): Promise<ReadonlySet<string>> {
    return this.#move(
      moves.map(({ execution, token, runs }) => ({ to: execution, runs, isStill: (row) => row.lease_token === token })),
    )
  }

  async waitingFor(
    projectId: ProjectId,
    pairs: readonly { readonly contactId: string; readonly eventName: string }[],
  ): Promise<readonly Execution[]> {
    if (pairs.length === 0) return []
    const { dialect } = this
    // WHO AWAITS AN EVENT: an event is seldom awaited, so each pair is looked up, and the rows are locked in the order of ids.
    // Index: `workflow_executions_awaiting`.
    const sql = `select ${this.tables.executions.listOf('x', CLAIM)} from ${dialect.given(PAIRS)} as given
      join ${dialect.byIndex('workflow_executions', 'workflow_executions_awaiting', 'x')} on x."contact_id" = given."of_contact" and x."waiting_for" = given."of_name"
      where x."waiting_for" is not null and x."project_id" = ? and x."status" = 'WAITING' order by x."id"${dialect.lockRows('x')}`
    const unique = new Map(
      pairs.map(({ contactId, eventName }) => [`${contactId} ${eventName}`, [contactId, eventName]]),
    )
    return this.#read(sql, [...dialect.givenParams(PAIRS, [...unique.values()]), projectId])
  }

  wake(moves: Parameters<ExecutionRepository['wake']>[0]): Promise<ReadonlySet<string>> {
    return this.#move(
      moves.map(({ from, to, runs }) => ({
        to,
        runs,
        isStill: (row) =>
          from.id === to.id && row.status === from.status && row.current_step_id === (from.currentStepId ?? null),
      })),
    )
  }

  active(projectId: ProjectId, workflowId: string, limit: number, after = ''): Promise<readonly Execution[]> {
    // ACTIVE EXECUTIONS: the index has the first rows of each status; all rows of both would have to be sorted.
    // Index: `workflow_executions_by_status`.
    const behind = after === '' ? '' : ' and "id" > ?'
    const of = (status: string) => `select * from (select ${this.#list} from "workflow_executions"
      where "project_id" = ? and "workflow_id" = ? and "status" = '${status}'${behind} order by "id" limit ?) as "${status}"`
    const sql = `${of('RUNNING')} union all ${of('WAITING')} order by "id" limit ?`
    const params = [projectId, workflowId, ...(after === '' ? [] : [after]), limit]
    return this.#read(sql, [...params, ...params, limit])
  }

  async standingOn(projectId: ProjectId, workflowId: string): Promise<ReadonlyMap<string, number>> {
    const sql = `select "current_step_id", count(*) as "count" from "workflow_executions"
      where "project_id" = ? and "workflow_id" = ? and "status" in ('RUNNING', 'WAITING')
      and "current_step_id" is not null group by "current_step_id"`
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [projectId, workflowId]))
    return new Map(rows.map((row) => [String(row.current_step_id), Number(row.count)]))
  }

  nextDue(): Promise<Date | undefined> {
    return this.#leased.next()
  }

  async #move(moves: readonly Move[]): Promise<ReadonlySet<string>> {
    if (moves.length === 0) return new Set()
    const { dialect } = this
    return this.access.write((session) => writeMoves(dialect, this.tables, session, moves))
  }

  async #read(sql: string, params: Params): Promise<readonly Execution[]> {
    const rows = await this.access.all(sql, params)
    return rows.map((row) => this.tables.executions.record(row))
  }
}

const PAIRS = [
  { name: 'of_contact', kind: 'uuid' },
  { name: 'of_name', kind: 'text' },
] as const

function chosen(
  projectId: ProjectId,
  workflowId: string,
  { status, standingOn, goalReached }: ExecutionsFilter,
): Conditions {
  const where = new Conditions()
    .and('"project_id" = ?', projectId)
    .and('"workflow_id" = ?', workflowId)
    .equal('"status"', status)
  if (goalReached) where.and('"goal_at" is not null')
  if (standingOn === undefined) return where
  return where.and(`"status" in ('RUNNING', 'WAITING')`).and('"current_step_id" = ?', standingOn)
}

function runsOf(
  projectId: ProjectId,
  workflowId: string,
  { stepId, status }: NonNullable<ExecutionsFilter['ran']>,
): Conditions {
  return new Conditions()
    .and('"project_id" = ?', projectId)
    .and('"workflow_id" = ?', workflowId)
    .and('"step_id" = ?', stepId)
    .and('"status" = ?', status)
}

function ofContact(projectId: ProjectId, contactId: string, { status }: ExecutionFilter): Conditions {
  return new Conditions()
    .and('x."contact_id" = ?', contactId)
    .and('x."project_id" = ?', projectId)
    .equal('x."status"', status)
}

/**
 * Inserts the executions that may start. The unique indexes decide between processes that try at the same time. The
 * contacts are locked against removal meanwhile, so that none leaves an execution behind. Answers the ids inserted.
 */
async function startExecutions(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const there = await contactsThere(dialect, session, executions)
  const known = executions.filter((execution) => there.has(contactOf(execution)))
  const before = await ranBefore(dialect, session, known)
  const rows = inOrder(
    known.filter((execution) => !(execution.once && before.has(place(execution)))),
    place,
  )
  return tables.executions.insertNew(session, rows, UNLESS_FORBIDDEN)
}

/** Whichever unique index forbids it. */
const UNLESS_FORBIDDEN = 'on conflict do nothing'

async function contactsThere(
  dialect: Dialect,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const sql = `select "id", "project_id" from "contacts" where "id" ${dialect.listed('uuid')}
    order by "id"${dialect.keepRows('"contacts"')}`
  const ids = new Set(executions.map(({ contactId }) => contactId))
  const rows = await session.all(sql, [dialect.list([...ids])])
  return new Set(rows.map((row) => `${row.project_id} ${row.id}`))
}

/**
 * WHO RAN BEFORE: the workflow and contact of each execution that runs only once and has run before. The unique index knows only those
 * started as such; others ran while re-entry was allowed.
 * Index: `workflow_executions_of_contact`.
 */
async function ranBefore(
  dialect: Dialect,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const once = executions.filter((execution) => execution.once)
  if (once.length === 0) return new Set()
  const sql = `select distinct given."of_workflow", given."of_contact" from ${dialect.given(PLACES)} as given
    join ${dialect.byIndex('workflow_executions', 'workflow_executions_of_contact', 'x')} on x."contact_id" = given."of_contact" and x."workflow_id" = given."of_workflow"`
  const places = once.map(({ workflowId, contactId }) => [workflowId, contactId])
  const rows = await session.all(sql, dialect.givenParams(PLACES, places))
  return new Set(rows.map((row) => `${row.of_workflow} ${row.of_contact}`))
}

const PLACES = [
  { name: 'of_workflow', kind: 'uuid' },
  { name: 'of_contact', kind: 'uuid' },
] as const

function contactOf({ projectId, contactId }: Execution): string {
  return `${projectId} ${contactId}`
}

/** The execution's key in the order in which executions are written. */
function place({ workflowId, contactId }: Execution): string {
  return `${workflowId} ${contactId}`
}

/** The new state of an execution, with its step runs. */
interface Move {
  readonly to: Execution
  readonly runs: readonly StepRun[]
  /** Whether the locked row is still as it was when the move was decided. */
  isStill(row: Row): boolean
}

/**
 * Writes moves in three statements, however many they are. It locks the rows in the order of ids, so that two writers
 * do not block each other, then writes those that are as expected, with their step runs. Answers the ids of the
 * executions written.
 */
async function writeMoves(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  moves: readonly Move[],
): Promise<ReadonlySet<string>> {
  const hold = `select "id", "project_id", "status", "current_step_id", "lease_token", "completed_at" from "workflow_executions"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"workflow_executions"')}`
  const held = await session.all(hold, [dialect.list(moves.map(({ to }) => to.id))])
  const rows = new Map(held.map((row) => [String(row.id), row]))
  const valid = moves.filter(({ to, isStill }) => {
    const row = rows.get(to.id)
    return row !== undefined && row.project_id === to.projectId && isStill(row)
  })
  if (valid.length === 0) return new Set()
  const { executions, stepRuns } = tables
  await executions.patch(
    session,
    MOVED,
    valid.map(({ to }) => to),
  )
  const runs = inOrder(
    valid.flatMap((move) => move.runs),
    ({ id }) => id,
  )
  await stepRuns.insert(session, runs, stepRuns.overwrite(WRITTEN_OVER))
  const figures = new ActivityDeltas()
  for (const { to } of valid) {
    const before = rows.get(to.id)
    if (before) figures.ended(to.projectId, executions.record(before), -1)
    figures.ended(to.projectId, to, 1)
  }
  await figures.write(dialect, session)
  return new Set(valid.map(({ to }) => to.id))
}

/** A move does not write the contact, the workflow and how the execution was started. Its lease ends. */
const MOVED: Patch<StoredExecution> = {
  by: ['id'],
  set: {
    except: ['id', 'projectId', 'workflowId', 'contactId', 'eventId', 'once', 'startedAt', 'redactedAt', ...CLAIM],
  },
  also: FREE,
}

/** How an existing step run is updated: its execution, step and start never change. */
const WRITTEN_OVER = {
  on: ['id'],
  keep: ['projectId', 'workflowId', 'executionId', 'stepId', 'startedAt'],
  within: 'executionId',
} as const

/** How executions are cancelled. */
interface Cancelling {
  /** When. Default the time of each execution's last change. */
  readonly at?: Date | undefined
  readonly reason?: string
}

/**
 * Cancels those of these executions that are active, with their open step runs, and ends their leases. It locks them
 * first, in the order of ids as everybody does. Answers their rows with the columns of `list`, in that order.
 */
export async function cancelExecutions(
  dialect: Dialect,
  session: Session,
  which: { readonly projectId: ProjectId; readonly by: 'id' | 'contact_id'; readonly ids: readonly string[] },
  list: string,
  { at, reason }: Cancelling,
): Promise<readonly Row[]> {
  const listed = dialect.listed('uuid')
  // the project comes last, or SQLite would go through all its executions
  const hold = `select "id" from "workflow_executions" where "${which.by}" ${listed} and ("project_id" = ?) is true
    and "status" in ('RUNNING', 'WAITING') order by "id"${dialect.lockRows('"workflow_executions"')}`
  const held = await session.all(hold, [dialect.list(which.ids), which.projectId])
  if (held.length === 0) return []
  const ids = dialect.list(held.map(({ id }) => String(id)))
  const date = dialect.encode('date')(at)
  const runs = `update "workflow_step_runs" set "status" = 'CANCELLED', "completed_at" = coalesce(?, "started_at")
    where "execution_id" ${listed} and "status" in ('RUNNING', 'WAITING')`
  await session.run(runs, [date, ids])
  const executions = `update "workflow_executions" set "status" = 'CANCELLED', "exit_reason" = ?, "due_at" = null,
    "waiting_for" = null, ${FREE}, "completed_at" = coalesce(?, "updated_at"),
    "updated_at" = coalesce(?, "updated_at") where "id" ${listed} returning ${list}`
  const rows = await session.all(executions, [reason ?? null, date, date, ids])
  return rows.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
}
