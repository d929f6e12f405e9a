import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
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
