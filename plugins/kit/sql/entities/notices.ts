import { defineEntity, p } from '@mikro-orm/core'

/** When operators were last told about a kind of trouble in a project. */
export const NoticeRow = defineEntity({
  name: 'NoticeRow',
  tableName: 'notices',
  properties: {
    projectId: p.uuid().primary(),
    kind: p.text().primary(),
    at: p.datetime(3),
  },
})
