import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'

/** The operator's settings for the whole installation, by name. */
export const InstallationSettingRow = defineEntity({
  name: 'InstallationSettingRow',
  tableName: 'installation_settings',
  properties: {
    name: p.text().primary(),
    value: p.json().$type<JsonObject>(),
    version: p.integer(),
    updatedAt: p.datetime(3),
  },
})
