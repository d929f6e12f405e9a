import { randomBytes } from 'node:crypto'
import { createEngine, type EventRecord } from '../config/library.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import type { Store } from '../core/ports/store/store.ts'
import { idSource } from '../core/values/id.ts'
import type { ProjectId } from '../core/values/project-id.ts'
import { createApp } from '../server/index.ts'
import { contact } from '../test/contracts/store/records.ts'
import { type BenchDatabase, type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'

const DAYS = 366
const DAY_MS = 86_400_000
const BATCH = 1000
/** Most are openings, as it is, and few are tracked by customers. */
const NAMES = [...Array.from({ length: 6 }, () => 'email.open'), 'email.click', 'seen', 'paid', 'left']
const PATHS = [
  '/activity?limit=100',
  '/activity?limit=100&types=event.triggered',
  '/activity/stats',
  '/activity/recent-count',
  '/activity/types',
  '/activity/upcoming',
  '/analytics/timeseries?days=366',
  '/analytics/timeseries?timezone=Asia/Kathmandu',
  '/analytics/top-campaigns',
  '/analytics/campaign-stats',
  '/analytics/top-events',
]

/** Every endpoint of activity and analytics over this many events in 366 days, and what counting them costs. */
export function measureInsight(on: BenchStore, events: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const figures = await insightOf(await make(), events)
    return figures.map((figure) => ({ ...figure, what: `insight: ${figure.what}, ${on}` }))
  })
}

async function insightOf({ plugins, settle }: BenchDatabase, events: number): Promise<readonly Figure[]> {
  const now = Date.now()
  const secretKey = `sk_${randomBytes(24).toString('hex')}`
  const settings = { ...plugins, projects: [{ name: 'Bench', secretKey, trustedDomains: ['example.com'] }] }
  const first = await createEngine(settings)
  const [project] = await first.projects.list()
  await first.stop()
  if (!project) throw new Error('there is no project')
  const { store, close } = await plugins.store.open({ log: silentLog, clock: systemClock })
  const seconds = await fill(store, project.id, events, now)
  const cost = await countingCost(store, project.id)
  await close?.()
  await settle()
  const engine = await createEngine(settings)
  const app = createApp(engine, { requestsPerMinute: 1_000_000 })
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${secretKey}` }
    const response = await app.request(path, { headers })
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { cursor: string | null }
  }
  const year = `startDate=${new Date(now - (DAYS - 1) * DAY_MS).toISOString()}`
  const figures: Figure[] = []
  for (const path of PATHS) {
    const times: number[] = []
    const asked = path.startsWith('/analytics/timeseries') ? `${path.split('&')[0]}&${year}` : path
    for (let i = 0; i < 40; i++) {
      const start = performance.now()
      await get(asked.replace('days=366&', ''))
      times.push(performance.now() - start)
    }
    const value = times.toSorted((a, b) => a - b)[37] ?? Number.NaN
    figures.push({ what: path, value, unit: 'ms', note: `95th percentile, ${events} events in a year` })
  }
  figures.push(await walk(get))
  figures.push({
    what: 'events stored',
    value: events / seconds,
    unit: 'events/s',
    note: `batches of ${BATCH}`,
  })
  figures.push({ what: 'cost of the figures of an event', value: cost, unit: 'µs', note: 'batches of 100' })
  await engine.stop()
  return figures
}

/** Reads `GET /activity` page by page, for half a minute or to its end. */
async function walk(get: (path: string) => Promise<{ cursor: string | null }>): Promise<Figure> {
  let [pages, slowest, cursor] = [0, 0, '']
  const begin = performance.now()
  while (performance.now() - begin < 30_000) {
    const start = performance.now()
    const page = await get(`/activity?limit=100${cursor}`)
    slowest = Math.max(slowest, performance.now() - start)
    pages++
    if (page.cursor === null) break
    cursor = `&cursor=${page.cursor}`
  }
  const value = (performance.now() - begin) / pages
  return {
    what: 'a page of /activity',
    value,
    unit: 'ms',
    note: `${pages} pages, slowest ${Math.round(slowest)}`,
  }
}

async function fill(store: Store, projectId: ProjectId, events: number, now: number): Promise<number> {
  const people = Array.from({ length: 1000 }, () => contact(projectId))
  await store.contacts.save(people)
  let moment = 0
  const newId = idSource(() => moment)
  const start = performance.now()
  for (let done = 0; done < events; done += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i): EventRecord => {
      moment = Math.floor(now - DAYS * DAY_MS + ((done + i) / events) * DAYS * DAY_MS)
      const name = NAMES[(done + i * 7) % NAMES.length] ?? ''
      const contactId = people[(done + i) % people.length]?.id ?? ''
      return {
        id: newId(),
        projectId,
        name,
        contactId,
        data: { link: 'https://example.com' },
        createdAt: new Date(moment),
      }
    })
    await store.events.record(batch)
  }
  return (performance.now() - start) / 1000
}

/** The difference between events that count in the figures and events that do not. */
async function countingCost(store: Store, projectId: ProjectId): Promise<number> {
  const person = contact(projectId)
  await store.contacts.save([person])
  const newId = idSource(() => Date.now())
  const times: Record<string, number[]> = { paid: [], 'email.open': [] }
  for (let round = 0; round < 300; round++) {
    for (const [name, taken] of Object.entries(times)) {
      const batch = Array.from({ length: 100 }, (): EventRecord => {
        return { id: newId(), projectId, name, contactId: person.id, data: {}, createdAt: new Date() }
      })
      const start = performance.now()
      await store.events.record(batch)
      taken.push(((performance.now() - start) * 1000) / 100)
    }
  }
  const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
  return median(times.paid ?? []) - median(times['email.open'] ?? [])
}
