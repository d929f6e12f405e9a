import { defineEntity, p } from '@mikro-orm/core'

/** The answer to each idempotency key. `answer` is JSON stored as text, so that a replay is the same to the letter. */
export const IdempotencyAnswerRow = defineEntity({
  name: 'IdempotencyAnswerRow',
  tableName: 'idempotency_answers',
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    answer: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'idempotency_answers_age', properties: ['createdAt'] }],
})
