import type { Json } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { RememberedAnswer } from './write-batch.ts'

/** The answers under idempotency keys, for work that has a transaction of its own; `WriteBatch` keeps its answers itself. */
export interface AnswerRepository {
  /**
   * Keeps an answer, inside the transaction that does the work; one from before `since` makes room. Answers what was kept
   * earlier, if anything; until the transaction ends nobody else can keep one under this key.
   */
  saveIfAbsent(
    projectId: ProjectId,
    under: { readonly key: string; readonly fingerprint: string; readonly since: Date },
    answer: Json,
    now: Date,
  ): Promise<RememberedAnswer | undefined>
}
