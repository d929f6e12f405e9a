import { encodeCursor } from '../core/values/page.ts'
import type { AudienceClient } from './audience-client.ts'
import { addressOf, PROJECT_ID, TENTH } from './audience-data.ts'
import type { Figure } from './figure.ts'

/**
 * Reads of a large project. Aims: any page under 15 ms, a search under 200 ms, a count under 1 s, memory within 100 MB
 * of what it was before.
 */
export async function measureReads(client: AudienceClient, ids: readonly string[]): Promise<readonly Figure[]> {
  const half = Math.floor(ids.length / 2)
  const listed = (order: string) => ({ projectId: PROJECT_ID, name: `contacts:${order}` })
  const byTime = encodeCursor(listed('createdAt:desc'), { value: '', id: ids[ids.length - half] ?? '' })
  const byAddress = encodeCursor(listed('email:asc'), { value: 'grace.knuth', id: ids[0] ?? '' })
  const rare = encodeURIComponent(addressOf(half).slice(0, -4))
  const filter = encodeURIComponent(JSON.stringify(TENTH))
  const reads: readonly (readonly [what: string, path: string, note: string])[] = [
    ['contacts: first page with total', '/contacts', `20 of ${ids.length.toLocaleString('en')}`],
    ['contacts: a page half way down', `/contacts?cursor=${byTime}`, `${half.toLocaleString('en')} rows deep`],
    ['contacts: a page in the order of addresses', `/contacts?sort=email&cursor=${byAddress}`, ''],
    ['contacts: search for a rare text, with total', `/contacts?search=${rare}`, 'one hit'],
    ['contacts: search for a common text, with total', '/contacts?search=example.org', 'every 2nd contact'],
    ['contacts: search for two letters, with total', '/contacts?search=zz', 'no hit'],
    ['contacts: count by two conditions on data', `/contacts?filter=${filter}&limit=1`, 'every 10th contact'],
    ['contacts: fields with types and coverage', '/contacts/fields', ''],
    ['contacts: values of a field with few', '/contacts/fields/data.plan/values', '5 different ones'],
    ['contacts: values of a field with many', '/contacts/fields/data.company/values', '200,000 different ones'],
  ]
  await client.medianMs('/contacts?limit=1', 100)
  const { answer, grownBy } = await client.watch(async () => {
    const figures: Figure[] = []
    for (const [what, path, note] of reads) {
      figures.push({ what, value: await client.medianMs(path), unit: 'ms', ...(note === '' ? {} : { note }) })
    }
    return figures
  })
  const searched = await client.watch(() => client.medianMs('/contacts?search=example.org'))
  const counted = await client.watch(() => client.medianMs(`/contacts?filter=${filter}&limit=1`))
  return [
    ...answer,
    { what: 'longest wait for /health/live during searches', value: searched.longestWait, unit: 'ms' },
    { what: 'longest wait for /health/live during counts', value: counted.longestWait, unit: 'ms' },
    { what: 'RSS growth over these reads', value: grownBy, unit: 'MB' },
  ]
}
