import { defineEntity, p } from '@mikro-orm/core'

/** Secrets the engine made for itself, by name. All processes that share the store use the same. */
export const EngineSecretRow = defineEntity({
  name: 'EngineSecretRow',
  tableName: 'engine_secrets',
  properties: {
    name: p.text().primary(),
    value: p.text(),
    createdAt: p.datetime(3),
  },
})
