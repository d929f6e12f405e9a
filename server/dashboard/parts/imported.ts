import { ApiError } from '../api/api-error.ts'
import { useAsk } from '../api/ask.ts'
import { type Api, answerOf, type components } from '../api/client.ts'
import type { Filter } from './filter/language.ts'

type Job = Pick<components['schemas']['ImportJob'], 'createdAt' | 'updatedAt'>

/** The filter of the contacts that an import added or changed, and that have not changed since. */
export function importedBy({ createdAt, updatedAt }: Job): Filter {
  return {
    operator: 'AND',
    conditions: [
      { field: 'updatedAt', operator: 'greaterThanOrEqual', value: createdAt },
      { field: 'updatedAt', operator: 'lessThanOrEqual', value: updatedAt },
    ],
  }
}

/** How many contacts are read at once, how many become members at once, and the most names that are tried. */
const [PAGE, MEMBERS, NAMES] = [100, 1000, 20]
/** Of more contacts no segment is made: the requests count against the limit of the project, whose mail would be refused. */
const MOST = 20_000

/**
 * Makes a segment of the contacts of an import, and answers its id; undefined when they are too many. A campaign to the
 * filter alone would miss each contact that changes before it is sent. A name that is taken gets a number.
 */
export async function segmentOf(api: Api, job: Job, name: string): Promise<string | undefined> {
  const filter = JSON.stringify(importedBy(job))
  const ids: string[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const query = { filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const found = await answerOf(api.GET('/contacts', { params: { query } }))
    if (found.total > MOST) return undefined
    ids.push(...found.data.map((contact) => contact.id))
    cursor = found.cursor ?? undefined
    isMore = cursor !== undefined
  }
  const id = await madeSegment(api, name)
  for (let at = 0; at < ids.length; at += MEMBERS) {
    const body = { contactIds: ids.slice(at, at + MEMBERS) }
    await answerOf(api.POST('/segments/{id}/members', { params: { path: { id } }, body }))
  }
  return id
}

async function madeSegment(api: Api, name: string, number = 1): Promise<string> {
  try {
    const body = { name: number === 1 ? name : `${name} (${number})`, type: 'STATIC' as const }
    return (await answerOf(api.POST('/segments', { body }))).id
  } catch (error) {
    if (number === NAMES || !(error instanceof ApiError) || error.status !== 409) throw error
    return madeSegment(api, name, number + 1)
  }
}

/** How many subscribed contacts there are of an import, or of the whole project; undefined until it is known. */
export function useSubscribed(of: Job | 'all', { enabled = true } = {}): number | undefined {
  const filter = of === 'all' ? {} : { filter: JSON.stringify(importedBy(of)) }
  const counted = useAsk(
    ['contacts', 'subscribed', filter],
    (api, signal) => api.GET('/contacts', { params: { query: { subscribed: true, limit: 1, ...filter } }, signal }),
    { enabled },
  )
  return counted.data?.total
}
