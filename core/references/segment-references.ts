import { conditionsOf, mentionsOf } from '../filters/mentions.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { Thing, Use } from './uses.ts'

/** The segments whose filter refers to the thing, newest first. */
export async function segmentsThatUse(
  reads: Repositories,
  projectId: ProjectId,
  thing: Thing,
): Promise<readonly Use[]> {
  if (thing.kind === 'template' || thing.kind === 'snippet' || thing.kind === 'layout') return []
  const segments = await reads.segments.all(projectId)
  const users = segments.filter(({ filter }) => filter !== undefined && filterUses(filter, thing))
  return users.map(({ id, name }) => ({ id, name }))
}

/** Whether a filter refers to the thing; for a path into the data its first key counts. */
export function filterUses(filter: Filter, thing: Thing): boolean {
  switch (thing.kind) {
    case 'template':
    case 'snippet':
    case 'layout':
    case 'form':
    case 'campaign':
      return false
    case 'event':
      return mentionsOf(filter).events.has(thing.name)
    case 'topic': {
      const { topics } = mentionsOf(filter)
      return topics.has(thing.id) || topics.has(thing.slug)
    }
    case 'segment':
      return mentionsOf(filter).segments.has(thing.id)
    case 'field':
      if ('key' in thing.field) return mentionsOf(filter).fields.has(thing.field.key)
      return [...conditionsOf(filter)].some(({ field }) => 'standard' in thing.field && field === thing.field.standard)
  }
}
