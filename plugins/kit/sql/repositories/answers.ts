/* SQL by hand: an insert that may meet a row decides between two requests. */
import type { AnswerRepository } from '../../../../core/ports/store/answers.ts'
import type { RememberedAnswer } from '../../../../core/ports/store/write-batch.ts'
import type { Json } from '../../../../core/values/json.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'

/** Answers stored under idempotency keys, one at a time. */
export class SqlAnswers extends Repository implements AnswerRepository {
  saveIfAbsent(
    projectId: ProjectId,
    under: { readonly key: string; readonly fingerprint: string; readonly since: Date },
    answer: Json,
    now: Date,
  ): Promise<RememberedAnswer | undefined> {
    const { key, fingerprint, since } = under
    const { answers } = this.tables
    const before = this.dialect.encode('date')(since)
    return this.access.write(async (session) => {
      const forget = 'delete from "idempotency_answers" where "project_id" = ? and "key" = ? and "created_at" < ?'
      await session.run(forget, [projectId, key, before])
      const stored = { projectId, key, fingerprint, answer: JSON.stringify(answer), createdAt: now }
      // this waits for another transaction that stores one under the same key
      if ((await answers.insert(session, [stored], 'on conflict do nothing')) > 0) return undefined
      const sql = `select ${answers.list} from "idempotency_answers" where "project_id" = ? and "key" = ?`
      const [row] = await session.all(sql, [projectId, key])
      const kept = row && answers.record(row)
      return kept && { fingerprint: kept.fingerprint, answer: JSON.parse(kept.answer) }
    })
  }

  replace(
    projectId: ProjectId,
    key: string,
    stored: Json,
    next: { readonly answer: Json; readonly now: Date } | undefined,
  ): Promise<boolean> {
    const where = 'where "project_id" = ? and "key" = ? and "answer" = ?'
    const found = [projectId, key, JSON.stringify(stored)]
    return this.access.write(async (session) => {
      if (!next) return (await session.run(`delete from "idempotency_answers" ${where}`, found)) > 0
      const sql = `update "idempotency_answers" set "answer" = ?, "created_at" = ? ${where}`
      const now = this.dialect.encode('date')(next.now)
      return (await session.run(sql, [JSON.stringify(next.answer), now, ...found])) > 0
    })
  }
}
