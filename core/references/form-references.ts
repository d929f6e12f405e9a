import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { Thing, Use } from './uses.ts'

/** How many forms are looked through: all that a project can have. */
const ALL = { limit: 1000, offset: 0 }

/** The forms that let people choose the topic, or whose answers are kept in the field, newest first. */
export async function formsThatUse(reads: Repositories, projectId: ProjectId, thing: Thing): Promise<readonly Use[]> {
  if (thing.kind !== 'topic' && thing.kind !== 'field') return []
  const forms = await reads.forms.page(projectId, ALL)
  const users = forms.filter(({ topicIds, fields }) =>
    thing.kind === 'topic'
      ? topicIds.includes(thing.id)
      : 'key' in thing.field && fields.some(({ key }) => 'key' in thing.field && key === thing.field.key),
  )
  return users.map(({ id, name }) => ({ id, name }))
}
