import type { Json } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { RememberedAnswer } from './write-batch.ts'

/** The answers under idempotency keys, for work in its own transaction; `WriteBatch` stores its answers itself. */
export interface AnswerRepository {
  /**
   * Stores an answer, inside the transaction that does the work, unless there is one; one from before `since` is
   * replaced. Answers the stored one, if any; until the transaction ends nobody else can store one under this key.
   */
  saveIfAbsent(
    projectId: ProjectId,
    under: { readonly key: string; readonly fingerprint: string; readonly since: Date },
    answer: Json,
    now: Date,
  ): Promise<RememberedAnswer | undefined>
  /**
   * Stores another answer in the place of this one, with its time, or removes it (undefined). Answers whether this one was
   * still stored under the key.
   */
  replace(
    projectId: ProjectId,
    key: string,
    stored: Json,
    answer: { readonly answer: Json; readonly now: Date } | undefined,
  ): Promise<boolean>
}
