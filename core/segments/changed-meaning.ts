import { conditionsOf } from '../filters/mentions.ts'
import { subjectOf } from '../filters/subject.ts'
import type { Log } from '../ports/log.ts'
import type { FilterCondition } from '../ports/store/filters.ts'
import type { Segment, SegmentRepository } from '../ports/store/segments.ts'
import type { Warning } from '../values/unknown-keys.ts'

/**
 * The edition of the operators by which filters are written now. In the second, `within` ends with the present, and an
 * empty text and an empty list do not exist.
 */
export const FILTER_EDITION = 2

/** How many segments are read at start, and how many of them the log names. */
const READ_AT_START = 1000
const NAMED = 20

/** The conditions of a filter that was written when they meant something else, each with what it meant; none once it is saved again. */
export function changedMeanings({ filter, filterEdition }: Segment): readonly Warning[] {
  if (filter === undefined || filterEdition !== undefined) return []
  return [...conditionsOf(filter)].flatMap((condition) => {
    const message = changedMeaning(condition)
    return message === undefined ? [] : [{ field: 'filters', message }]
  })
}

function changedMeaning({ field, operator }: FilterCondition): string | undefined {
  if (subjectOf(field)?.kind !== 'data') return undefined
  switch (operator) {
    case 'within':
      return `${field} within: also matched every date to come until now, and matches only the past. Use withinNext for dates to come. ${SAVE}`
    case 'exists':
      return `${field} exists: also matched an empty text and an empty list until now, and no longer does. ${SAVE}`
    case 'notExists':
      return `${field} notExists: did not match an empty text or an empty list until now, and does. ${SAVE}`
    default:
      return undefined
  }
}

const SAVE = 'Save the filter again if that is right: this note then ends.'

/** Logs which segments have such a filter. */
export async function logChangedMeanings(segments: SegmentRepository, log: Log): Promise<void> {
  const changed = (await segments.withoutEdition(READ_AT_START)).filter((each) => changedMeanings(each).length > 0)
  if (changed.length === 0) return
  const named = changed.slice(0, NAMED).map(({ id, name, projectId }) => ({ segment: id, name, project: projectId }))
  const more = changed.length > NAMED ? { more: changed.length - NAMED } : {}
  log.warn(
    'segments have other members than before: within no longer matches dates to come, and exists no empty text or list. Their filters say so until they are saved again',
    { segments: named, ...more },
  )
}
