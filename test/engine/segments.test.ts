import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createEngine,
  type Engine,
  type GivenSettings,
  type Log,
  type LogFields,
  type Project,
  silentLog,
} from '../../config/library.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

/** How often segments are computed. */
const EVERY_MS = 5 * 60_000
/** A clock on which that is a second. */
const BEGUN = Date.now()
const HASTY = { now: () => new Date(BEGUN + ((Date.now() - BEGUN) * EVERY_MS) / 1000) }

const PROJECTS = [{ name: 'Test' }, { name: 'Off' }]
const plan = (value: string) =>
  ({ operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value }] }) as const

async function engineOn(store: GivenSettings['store'], settings: GivenSettings = {}): Promise<Engine> {
  const directory = mkdtempSync(join(tmpdir(), 'mailwright-segments-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const given = { transports: [outbox({ directory })], projects: PROJECTS, ...settings }
  const engine = await createEngine({ ...(store ? { store } : {}), ...given })
  onTestFinished(() => engine.stop())
  return engine
}

async function named(engine: Engine, name: string): Promise<Project> {
  const project = (await engine.projects.list()).find((each) => each.name === name)
  if (!project) throw new Error(`there is no project ${name}`)
  return project
}

/** The contacts of all events of this name. */
async function contactsOf(engine: Engine, project: Project, eventName: string): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await engine.events.list(project, { eventName, limit: 100, ...(cursor ? { cursor } : {}) })
    found.push(...page.items.flatMap(({ contactId }) => contactId ?? []))
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

for (const { name, store } of [STRICT]) {
  describe(`segments in the background on ${name}`, () => {
    it('are computed and counted again and again, each for itself', async () => {
      const warned: LogFields[] = []
      const warn = (_message: string, fields: LogFields = {}) => void warned.push(fields)
      const log: Log = { ...silentLog, warn, with: () => log }
      let ahead = 0
      const engine = await engineOn(store(), { clock: { now: () => new Date(Date.now() + ahead) }, log })
      const project = await named(engine, 'Test')
      const tracked = await engine.segments.create(project, {
        ...{ name: 'Tracked', filters: plan('pro'), trackMembership: true },
      })
      const counted = await engine.segments.create(project, { name: 'Counted', filters: plan('pro') })
      const broken = await brokenSegment(engine, project)
      await engine.contacts.upsert(project, { email: 'a@example.org', data: { plan: 'pro' } })
      await engine.start()
      // a new segment is due when its first pause has passed
      ahead += EVERY_MS
      const counts = async () => {
        const all = [tracked, counted].map(({ id }) => engine.segments.get(project, id))
        return (await Promise.all(all)).map(({ memberCount }) => memberCount).join()
      }
      await until('both are counted', async () => (await counts()) === '1,1', 20_000)
      expect(await contactsOf(engine, project, 'segment.tracked.entry')).toHaveLength(1)
      await engine.contacts.upsert(project, { email: 'a@example.org', data: { plan: 'free' } })
      ahead += EVERY_MS
      await until('both are counted again', async () => (await counts()) === '0,0', 20_000)
      expect(await contactsOf(engine, project, 'segment.tracked.exit')).toHaveLength(1)
      const told = await until(
        'the broken one is told of',
        () => warned.find(({ segment }) => segment === broken),
        20_000,
      )
      expect(told).toMatchObject({ project: project.id, error: { code: 'VALIDATION_ERROR' } })
    })

    it('of a disabled project rest', async () => {
      let ahead = 0
      const engine = await engineOn(store(), { clock: { now: () => new Date(Date.now() + ahead) } })
      const [project, off] = [await named(engine, 'Test'), await named(engine, 'Off')]
      const made = { name: 'Tracked', filters: plan('pro'), trackMembership: true }
      const [here, there] = [await engine.segments.create(project, made), await engine.segments.create(off, made)]
      await engine.projects.applySettings([{ name: 'Off', disabled: true }])
      await engine.start()
      ahead += EVERY_MS
      const computedAt = async () => (await engine.segments.get(project, here.id)).computedAt
      const first = await until('it is computed', computedAt, 20_000)
      ahead += EVERY_MS
      await until('it is computed again', async () => (await computedAt())! > first, 20_000)
      expect(await engine.segments.get(off, there.id)).toEqual(there)
    })
  })
}

describe('segments of two engines on one PostgreSQL database', () => {
  it('computed by both at the same time, and while contacts change, have one event for every change', async () => {
    const url = await freshDatabase()
    const open = () => engineOn(postgres({ url }), { clock: HASTY })
    const engines = [await open(), await open()]
    const [one, other] = engines as [Engine, Engine]
    const project = await named(one, 'Test')
    const made = { name: 'Tracked', filters: plan('pro'), trackMembership: true }
    const { id } = await one.segments.create(project, made)
    const address = (i: number) => `c${i}@example.org`
    const put = (engine: Engine, i: number, value: string) =>
      engine.contacts.upsert(project, { email: address(i), data: { plan: value } })
    await Promise.all(Array.from({ length: 700 }, (_, i) => put(one, i, 'pro')))
    await Promise.all(engines.map((engine) => engine.start()))
    const asked = Promise.all(Array.from({ length: 6 }, (_, i) => (i % 2 ? one : other).segments.compute(project, id)))
    await Promise.all(Array.from({ length: 100 }, (_, i) => put(i % 2 ? one : other, i, 'free')))
    await asked
    await one.segments.compute(project, id)
    expect((await one.segments.get(project, id)).memberCount).toBe(600)
    const entries = await contactsOf(one, project, 'segment.tracked.entry')
    const exits = await contactsOf(one, project, 'segment.tracked.exit')
    expect(new Set(entries).size).toBe(entries.length)
    expect(new Set(exits).size).toBe(exits.length)
    expect(entries.length - exits.length).toBe(600)
    // a contact who left before the first look was never a member
    expect(entries).toEqual(expect.arrayContaining(exits))
  })
})

/** A segment whose filter was right when it was made, and leads to too many conditions since. */
async function brokenSegment(engine: Engine, project: Project): Promise<string> {
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ field: 'data.n', operator: 'equals', value: i }) as const)
  const inner: string[] = []
  for (let i = 0; i < 11; i++) {
    const filters = { operator: 'OR', conditions: conditions(1) } as const
    inner.push((await engine.segments.create(project, { name: `Inner ${i}`, filters })).id)
  }
  const named = inner.map((id) => ({ field: `segment.${id}`, operator: 'memberOfSegment' }) as const)
  const filters = { operator: 'OR', conditions: named } as const
  const { id } = await engine.segments.create(project, { name: 'Broken', filters, trackMembership: true })
  for (const each of inner) {
    await engine.segments.change(project, each, { filters: { operator: 'OR', conditions: conditions(50) } })
  }
  return id
}
