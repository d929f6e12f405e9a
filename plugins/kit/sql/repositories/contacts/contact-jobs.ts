import type {
  ContactJob,
  ContactJobRepository,
  ContactJobType,
  JobLease,
} from '../../../../../core/ports/store/contact-jobs.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Params, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** How much of a file is read in one go: PostgreSQL's driver holds it three times, twice as large. */
const PIECE_BYTES = 512 * 1024

/** Imports and bulk changes, with their leases. */
export class SqlContactJobs implements ContactJobRepository {
  readonly #access: Access
  readonly #tables: Tables
  readonly #columns: string

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
    this.#columns = tables.contactJobs.listOf('', ['leaseToken', 'leaseUntil'])
  }

  async find(projectId: ProjectId, id: string): Promise<ContactJob | undefined> {
    const sql = `select ${this.#columns} from "contact_jobs" where "project_id" = ? and "id" = ?`
    const [row] = await this.#access.all(sql, [projectId, id])
    return row && this.#tables.contactJobs.record(row)
  }

  async page(
    projectId: ProjectId,
    type: ContactJobType,
    { limit, after }: PageRequest,
  ): Promise<readonly ContactJob[]> {
    const conditions = new Conditions().and('"project_id" = ?', projectId).and('"type" = ?', type)
    if (after) conditions.and('"id" < ?', after.id)
    const sql = `select ${this.#columns} from "contact_jobs" where ${conditions.text} order by "id" desc limit ?`
    const rows = await this.#access.all(sql, [...conditions.params, limit + 1])
    return rows.map((row) => this.#tables.contactJobs.record(row))
  }

  async count(projectId: ProjectId, type: ContactJobType): Promise<number> {
    const sql = 'select count(*) as "count" from "contact_jobs" where "project_id" = ? and "type" = ?'
    const [row] = await this.#access.all(sql, [projectId, type])
    return Number(row?.count)
  }

  async file(id: string): Promise<Uint8Array | undefined> {
    const from = 'from "contact_job_files" where "contact_job_id" = ?'
    const asked = (sql: string, params: Params) => this.#access.all(sql, params)
    const [found] = await asked(`select octet_length("bytes") as "size" ${from}`, [id])
    if (!found) return undefined
    const bytes = this.#access.dialect.decode('bytes')
    const file = new Uint8Array(Number(found.size))
    for (let at = 0; at < file.length; at += PIECE_BYTES) {
      const [row] = await asked(`select substr("bytes", ?, ?) as "bytes" ${from}`, [at + 1, PIECE_BYTES, id])
      if (!row) return undefined
      file.set(bytes(row.bytes) as Uint8Array, at)
    }
    return file
  }

  async keepRefused(contactJobId: string, row: number, bytes: Uint8Array): Promise<void> {
    await this.#access.write((session) =>
      this.#tables.contactJobRefusals.insert(session, [{ contactJobId, row, bytes }]),
    )
  }

  async refused(id: string, row: number): Promise<{ readonly row: number; readonly bytes: Uint8Array } | undefined> {
    const { contactJobRefusals } = this.#tables
    const sql = `select ${contactJobRefusals.list} from "contact_job_refusals"
      where "contact_job_id" = ? and "row" > ? order by "row" limit 1`
    const [found] = await this.#access.all(sql, [id, row])
    return found && contactJobRefusals.record(found)
  }

  async claim(id: string, now: Date, lease: JobLease): Promise<ContactJob | undefined> {
    const sql = `update "contact_jobs" set "state" = 'active', "lease_token" = ?, "lease_until" = ?, "updated_at" = ?
      where "id" = ? and ${DUE} returning ${this.#columns}`
    const date = this.#access.dialect.encode('date')
    const params = [lease.token, date(lease.until), date(now), id, date(now)]
    const [row] = await this.#access.write((session) => session.all(sql, params))
    return row && this.#tables.contactJobs.record(row)
  }

  advance(job: ContactJob, lease: JobLease): Promise<boolean> {
    const sql = {
      job: `update "contact_jobs" set "state" = ?, "progress" = ?, "position" = ?, "result" = ?, "failed_reason" = ?,
        "updated_at" = ?, "lease_token" = ?, "lease_until" = ? where "id" = ? and "state" = 'active' and "lease_token" = ?`,
      file: 'delete from "contact_job_files" where "contact_job_id" = ?',
    }
    const [json, date] = [this.#access.dialect.encode('json'), this.#access.dialect.encode('date')]
    const hasEnded = job.state === 'completed' || job.state === 'failed'
    const held = hasEnded ? [null, null] : [lease.token, date(lease.until)]
    const made = [job.state, job.progress, json(job.position), json(job.result), job.failedReason ?? null]
    return this.#access.write(async (session) => {
      const written = await session.run(sql.job, [...made, date(job.updatedAt), ...held, job.id, lease.token])
      if (written > 0 && hasEnded) await session.run(sql.file, [job.id])
      return written > 0
    })
  }

  async release(id: string, token: string): Promise<void> {
    const sql = `update "contact_jobs" set "state" = 'waiting', "lease_token" = null, "lease_until" = null
      where "id" = ? and "state" = 'active' and "lease_token" = ?`
    await this.#access.run(sql, [id, token])
  }

  expireLeases(before: Date): Promise<number> {
    const sql = `update "contact_jobs" set "state" = 'waiting', "lease_token" = null, "lease_until" = null
      where "state" = 'active' and "lease_until" <= ?`
    return this.#access.run(sql, [this.#access.dialect.encode('date')(before)])
  }

  async due(now: Date, limit: number): Promise<readonly string[]> {
    // a project's jobs that run stand before those that wait, so whoever has fewer gets the next
    const sql = `select "id" from (select "id", "state", "lease_until",
        row_number() over (partition by "project_id" order by "state", "id") as "turn"
        from "contact_jobs" where "state" in ('waiting', 'active')) as "open"
      where ${DUE} order by "turn", "id" limit ?`
    const params = [this.#access.dialect.encode('date')(now), limit]
    const rows = await this.#access.all(sql, params)
    return rows.map(({ id }) => String(id))
  }

  forget(before: Date, limit: number): Promise<number> {
    const { dialect } = this.#access
    const ended = `select "id" from "contact_jobs" where "state" in ('completed', 'failed') and "updated_at" < ? limit ?`
    return this.#access.write(async (session) => {
      const rows = await session.all(ended, [dialect.encode('date')(before), limit])
      const ids = dialect.list(rows.map(({ id }) => String(id)))
      await session.run(`delete from "contact_job_refusals" where "contact_job_id" ${dialect.listed('uuid')}`, [ids])
      return session.run(`delete from "contact_jobs" where "id" ${dialect.listed('uuid')}`, [ids])
    })
  }
}

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
  const files = accepted.flatMap(({ job, file }) => (file ? [{ contactJobId: job.id, bytes: file }] : []))
  await tables.contactJobFiles.insert(session, files)
}
