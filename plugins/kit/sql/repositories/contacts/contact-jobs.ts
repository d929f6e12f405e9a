import type { ContactJob, ContactJobRepository, ContactJobType } from '../../../../../core/ports/store/contact-jobs.ts'
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { CLAIM, LEASE, togetherOr } from '../../engine/claim.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** Imports and bulk changes, with their leases. */
export class SqlContactJobs extends Repository implements ContactJobRepository {
  readonly #jobs = new Rows(this.access, this.tables.contactJobs)
  readonly #refusals = new Rows(this.access, this.tables.contactJobRefusals)
  readonly #leased = new LeasedRows(this.access, 'contact_jobs')
  readonly #columns = this.tables.contactJobs.listOf('', LEASE)

  find(projectId: ProjectId, id: string): Promise<ContactJob | undefined> {
    return this.#jobs.one({ projectId, id }, WITHOUT_LEASE)
  }

  page(projectId: ProjectId, type: ContactJobType, page: PageRequest): Promise<readonly ContactJob[]> {
    return this.#jobs.page({ projectId, type }, page, WITHOUT_LEASE)
  }

  count(projectId: ProjectId, type: ContactJobType): Promise<number> {
    return this.#jobs.count({ projectId, type })
  }

  async filePiece(id: string, from: number, most: number): Promise<Uint8Array | undefined> {
    const sql = 'select substr("bytes", ?, ?) as "bytes" from "contact_job_files" where "contact_job_id" = ?'
    const [row] = await this.access.all(sql, [from + 1, most, id])
    return row && (this.dialect.decode('bytes')(row.bytes) as Uint8Array)
  }

  keepRefused(contactJobId: string, row: number, bytes: Uint8Array): Promise<void> {
    return this.#refusals.insert({ contactJobId, row, bytes })
  }

  refused(id: string, row: number): Promise<{ readonly row: number; readonly bytes: Uint8Array } | undefined> {
    return this.#refusals.one({ contactJobId: id, row: { $gt: row } }, { orderBy: { row: 'asc' }, limit: 1 })
  }

  async claim(id: string, now: Date, lease: ClaimLease): Promise<(ContactJob & Interrupted) | undefined> {
    const sql = `update "contact_jobs" set "state" = 'active', "lease_token" = ?, "lease_until" = ?, "updated_at" = ?
      where "id" = ? and ${DUE} and ${togetherOr(lease.alone)} returning ${this.#columns}`
    const date = this.dialect.encode('date')
    const params = [lease.token, date(lease.until), date(now), id, date(now)]
    const [row] = await this.access.writeOnce((session) => session.all(sql, params))
    return row && this.tables.contactJobs.record(row)
  }

  advance(job: ContactJob, lease: ClaimLease): Promise<boolean> {
    const { id, state, progress, position, result, failedReason = null, updatedAt } = job
    const hasEnded = state === 'completed' || state === 'failed'
    const held = hasEnded ? NO_LEASE : { leaseToken: lease.token, leaseUntil: lease.until, interrupted: null }
    const made = { state, progress, position, result, failedReason, updatedAt, ...held }
    return this.access.write(async (session) => {
      const jobs = this.#jobs.in(session)
      if ((await jobs.change({ id, state: 'active', leaseToken: lease.token }, made)) === 0) return false
      if (hasEnded) await new Rows(session, this.tables.contactJobFiles).remove({ contactJobId: id })
      return true
    })
  }

  release(id: string, leaseToken: string): Promise<void> {
    return this.#leased.release([id], leaseToken)
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }

  async due(now: Date, limit: number, alone?: boolean): Promise<readonly string[]> {
    // NEXT JOBS: a project's jobs that run stand before those that wait, so the project with fewer gets the next
    const sql = `select "id" from (select "id", "state", "lease_until", "interrupted",
        row_number() over (partition by "project_id" order by "state", "id") as "turn"
        from "contact_jobs" where "state" in ('waiting', 'active')) as "open"
      where ${DUE} and ${togetherOr(alone)} order by "turn", "id" limit ?`
    const params = [this.dialect.encode('date')(now), limit]
    const rows = await this.access.all(sql, params)
    return rows.map(({ id }) => String(id))
  }

  forget(before: Date, limit: number): Promise<number> {
    const { dialect } = this
    const ended = `select "id" from "contact_jobs" where "state" in ('completed', 'failed') and "updated_at" < ? limit ?`
    return this.access.write(async (session) => {
      const rows = await session.all(ended, [dialect.encode('date')(before), limit])
      const ids = dialect.list(rows.map(({ id }) => String(id)))
      await session.run(`delete from "contact_job_refusals" where "contact_job_id" ${dialect.listed('uuid')}`, [ids])
      return session.run(`delete from "contact_jobs" where "id" ${dialect.listed('uuid')}`, [ids])
    })
  }
}

const WITHOUT_LEASE = { without: CLAIM } as const
const NO_LEASE = { leaseToken: null, leaseUntil: null, interrupted: null } as const

/** A job that waits, or whose lease has run out at the bound time. The first part repeats the index's condition. */
const DUE = `"state" in ('waiting', 'active') and ("state" = 'waiting' or "lease_until" <= ?)`

/** An accepted job with its file, if any. */
export interface NewContactJob {
  readonly job: ContactJob
  readonly file?: Uint8Array
}

/** Stores accepted jobs in the transaction that accepts them. */
export async function storeContactJobs(
  tables: Tables,
  session: Session,
  accepted: readonly NewContactJob[],
): Promise<void> {
  await tables.contactJobs.insert(
    session,
    accepted.map(({ job }) => job),
  )
  // each by itself, since many rows in one statement are joined first, which would be one more copy of megabytes
  const files = accepted.flatMap(({ job, file }) => (file ? [[job.id, file]] : []))
  await session.runEach('insert into "contact_job_files" ("contact_job_id", "bytes") values (?, ?)', files)
}
