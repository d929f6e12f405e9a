import { defineEntity, p } from '@mikro-orm/core'

/** Which user has which role in which project. */
export const ProjectMemberRow = defineEntity({
  name: 'ProjectMemberRow',
  tableName: 'project_members',
  properties: {
    projectId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'project_members_user', properties: ['userId'] }],
})
