import { defineEntity, p } from '@mikro-orm/core'

/** A secret the engine made for itself, by name: every process that shares the store has the same. */
export const EngineSecretRow = defineEntity({
  name: 'EngineSecretRow',
  tableName: 'engine_secrets',
  properties: {
    name: p.text().primary(),
    value: p.text(),
    createdAt: p.datetime(3),
  },
})
