import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** The mail servers of projects, one row per project that has ever had any. */
export const ProjectMailServerRow = defineEntity({
  name: 'ProjectMailServerRow',
  tableName: 'project_mail_servers',
  properties: {
    projectId: p.uuid().$type<ProjectId>().primary(),
    value: p.json().$type<JsonObject>(),
    version: p.integer(),
    updatedAt: p.datetime(3),
  },
})
