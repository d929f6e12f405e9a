import { defineEntity, p } from '@mikro-orm/core'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Who has what open just now; removed when the tab is closed, or was not heard of for a while. */
export const OpenTabRow = defineEntity({
  name: 'OpenTabRow',
  tableName: 'open_tabs',
  properties: {
    id: p.text().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    kind: p.text(),
    thingId: p.uuid(),
    userId: p.text(),
    name: p.text(),
    openedAt: p.datetime(3),
    seenAt: p.datetime(3),
  },
  indexes: [
    { name: 'open_tabs_thing', properties: ['projectId', 'thingId'] },
    { name: 'open_tabs_seen', properties: ['seenAt'] },
  ],
})
