import type { MailRepository, NewDate } from '../../../../../core/ports/store/mails.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'

/** Single mails of the ledger, as people ask for them. */
export class SqlMails implements MailRepository {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
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

  async #changed(sql: string, params: readonly unknown[]): Promise<boolean> {
    return (await this.#access.write((session) => session.run(sql, params))) > 0
  }

  #date(date: Date): unknown {
    return this.#access.dialect.encode('date')(date)
  }
}
