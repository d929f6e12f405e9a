import type { Json } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { RememberedAnswer } from './write-batch.ts'

/** The answers under idempotency keys, for work that has a transaction. `WriteBatch` stores its answers itself. */
export interface AnswerRepository {
  /**
   * Stores an answer, inside the transaction that does the work, unless one is stored already; one from before `since`
   * is replaced. Answers the one that was stored, if any. The key is locked until the transaction ends.
   */
  saveIfAbsent(
    projectId: ProjectId,
    under: { readonly key: string; readonly fingerprint: string; readonly since: Date },
    answer: Json,
    now: Date,
  ): Promise<RememberedAnswer | undefined>
  /**
   * Replaces this answer by another one with its time, or removes it (undefined). Answers whether it was still stored
   * under the key.
   */
  replace(
    projectId: ProjectId,
    key: string,
    stored: Json,
    answer: { readonly answer: Json; readonly now: Date } | undefined,
  ): Promise<boolean>
}
