import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine, Project } from '../../config/library.ts'
import { EngineError } from '../../core/errors.ts'
import type { Plugin } from '../../core/plugin/types.ts'
import { untrusted } from '../../core/values/input.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { QUICK, STRICT } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'
import { engineOnStore, type World } from '../support/workflow.ts'

const STEPS = { steps: [{ key: 'end', type: 'EXIT' }], transitions: [{ from: 'trigger', to: 'end' }] } as const

interface Made {
  readonly id: string
  /** The addresses of those it was started for, in order, each as often as it was. */
  started(): Promise<readonly string[]>
}

async function dated({ engine, project }: World, triggerConfig: JsonObject, more: JsonObject = {}): Promise<Made> {
  const input: JsonObject = { name: 'Dated', triggerType: 'DATE', triggerConfig, ...STEPS, ...more }
  const { workflow } = await engine.workflows.create(project, untrusted(input))
  await engine.workflows.change(project, workflow.id, { enabled: true })
  return { id: workflow.id, started: () => startedIn(engine, project, workflow.id) }
}

async function startedIn(engine: Engine, project: Project, id: string): Promise<readonly string[]> {
  const { items } = await engine.workflows.executions.list(project, id, { limit: 100 })
  const emails = items.map(async ({ execution }) => (await engine.contacts.get(project, execution.contactId)).email)
  return (await Promise.all(emails)).toSorted()
}

async function put({ engine, project }: World, name: string, data: JsonObject): Promise<string> {
  const { contact } = await engine.contacts.upsert(project, { email: `${name}@example.org`, data })
  return contact.id
}

/** Moves the clock on in steps of at most a day, as a server that runs sees it. */
async function goTo({ engine }: World, clock: SettableClock, moment: string): Promise<void> {
  const end = Date.parse(moment)
  while (clock.now().getTime() < end) {
    clock.set(new Date(Math.min(end, clock.now().getTime() + 86_400_000)))
    await engine.idle()
  }
}

async function worldOn(store: Plugin<'store'>, at: string) {
  const clock = new SettableClock(at)
  const world = await engineOnStore(store, { clock })
  await world.engine.start()
  return { world, clock }
}

describe('a date of contacts', () => {
  const world = (at: string) => worldOn(QUICK.store(), at)

  it('starts at its hour, where the contact is or else the project', async () => {
    const { world: here, clock } = await world('2026-03-09T00:00:00Z')
    await here.engine.projects.change(here.project, { timeZone: 'Europe/Berlin' })
    await put(here, 'berlin', { due: '2026-03-10' })
    await put(here, 'kathmandu', { due: '2026-03-10', timezone: 'Asia/Kathmandu' })
    await put(here, 'moment', { due: '2026-03-09T23:30:00Z' })
    await put(here, 'other', { due: '2026-03-11' })
    await put(here, 'none', { due: 'soon' })
    const made = await dated(here, { field: 'data.due' })
    await goTo(here, clock, '2026-03-10T03:14:59Z')
    expect(await made.started()).toEqual([])
    // nine o'clock in Kathmandu is a quarter past three in UTC
    await goTo(here, clock, '2026-03-10T03:15:00Z')
    expect(await made.started()).toEqual(['kathmandu@example.org'])
    await goTo(here, clock, '2026-03-10T07:59:59Z')
    expect(await made.started()).toHaveLength(1)
    await goTo(here, clock, '2026-03-10T08:00:00Z')
    // half past eleven at night in UTC is the next day in Berlin
    expect(await made.started()).toEqual(['berlin@example.org', 'kathmandu@example.org', 'moment@example.org'])
    const { items } = await here.engine.workflows.executions.list(here.project, made.id, {})
    expect(items.map(({ execution }) => execution.event)).toContainEqual({
      ...{ date: '2026-03-10', day: '2026-03-10', field: 'data.due' },
    })
  })

  it('starts days before it, by the date that the contact has then, and once', async () => {
    const { world: here, clock } = await world('2026-03-01T00:00:00Z')
    const offset = { amount: 1, unit: 'weeks', direction: 'before' }
    const made = await dated(here, { field: 'data.trialEnds', offset, at: '12:30' })
    const moved = await put(here, 'moved', { trialEnds: '2026-03-20' })
    await put(here, 'stays', { trialEnds: '2026-03-20' })
    await put(here, 'late', { trialEnds: '2026-03-05' })
    await goTo(here, clock, '2026-03-13T12:29:00Z')
    await here.engine.contacts.change(here.project, moved, { data: { trialEnds: '2026-03-25' } })
    await put(here, 'new', { trialEnds: '2026-03-20' })
    await goTo(here, clock, '2026-03-13T12:30:00Z')
    expect(await made.started()).toEqual(['new@example.org', 'stays@example.org'])
    await goTo(here, clock, '2026-03-18T12:30:00Z')
    expect(await made.started()).toContain('moved@example.org')
    // to another date once more: a contact who may not come again does not
    await here.engine.contacts.change(here.project, moved, { data: { trialEnds: '2026-04-01' } })
    await goTo(here, clock, '2026-03-26T00:00:00Z')
    expect(await made.started()).toHaveLength(3)
  })

  it('returns every year: 29 February is the 28th in others, and an hour that clocks leave out is later', async () => {
    const { world: here, clock } = await world('2027-02-27T00:00:00Z')
    await put(here, 'leap', { born: '1992-02-29' })
    await put(here, 'spring', { born: '1990-03-28', timezone: 'Europe/Berlin' })
    const made = await dated(here, { field: 'data.born', yearly: true, at: '02:30' })
    expect((await here.engine.workflows.get(here.project, made.id)).workflow.allowReentry).toBe(true)
    await goTo(here, clock, '2027-02-28T02:29:00Z')
    expect(await made.started()).toEqual([])
    await goTo(here, clock, '2027-02-28T02:30:00Z')
    expect(await made.started()).toEqual(['leap@example.org'])
    // on 28 March 2027 half past two does not exist in Berlin: it is half past three, two hours ahead of UTC
    clock.set('2027-03-28T01:00:00Z')
    await here.engine.idle()
    clock.set('2027-03-28T01:29:59Z')
    await here.engine.idle()
    expect(await made.started()).toHaveLength(1)
    clock.set('2027-03-28T01:30:00Z')
    await here.engine.idle()
    expect(await made.started()).toHaveLength(2)
    clock.set('2028-02-28T12:00:00Z')
    await here.engine.idle()
    expect(await made.started()).toHaveLength(2)
    await goTo(here, clock, '2028-02-29T02:30:00Z')
    expect(await made.started()).toEqual(['leap@example.org', 'leap@example.org', 'spring@example.org'])
  })

  it('starts no one twice who moves to another time zone, and none of the time when it was off', async () => {
    const { world: here, clock } = await world('2026-06-01T00:00:00Z')
    const traveller = await put(here, 'traveller', { born: '1990-06-02', timezone: 'Asia/Tokyo' })
    await put(here, 'off', { born: '1990-06-04' })
    const made = await dated(here, { field: 'data.born', yearly: true })
    await goTo(here, clock, '2026-06-02T01:00:00Z')
    expect(await made.started()).toEqual(['traveller@example.org'])
    await here.engine.contacts.change(here.project, traveller, { data: { timezone: 'America/New_York' } })
    await goTo(here, clock, '2026-06-03T00:00:00Z')
    await here.engine.workflows.change(here.project, made.id, { enabled: false })
    await goTo(here, clock, '2026-06-05T00:00:00Z')
    await here.engine.workflows.change(here.project, made.id, { enabled: true })
    await goTo(here, clock, '2026-06-06T00:00:00Z')
    expect(await made.started()).toEqual(['traveller@example.org'])
  })

  it('refuses what no date can be made of, with the place', async () => {
    const { world: here } = await world('2026-06-01T00:00:00Z')
    const { engine, project } = here
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{ triggerConfig: {} }, 'triggerConfig.field'],
      [{ triggerConfig: { field: 'email' } }, 'triggerConfig.field'],
      [{ triggerConfig: { field: 'event.date' } }, 'triggerConfig.field'],
      [{ triggerConfig: { field: 'data.born', at: '9 am' } }, 'triggerConfig.at'],
      [{ triggerConfig: { field: 'data.born', timezone: 'Mars' } }, 'triggerConfig.timezone'],
      [{ triggerConfig: { field: 'data.born', timezoneField: 'subscribed' } }, 'triggerConfig.timezoneField'],
      [{ triggerConfig: { field: 'data.born', eventName: 'paid' } }, 'triggerConfig.eventName'],
      [{ triggerConfig: { field: 'data.born' }, eventName: 'paid' }, 'eventName'],
      [
        { triggerConfig: { field: 'data.born', offset: { amount: 53, unit: 'weeks', direction: 'after' } } },
        'triggerConfig.offset.amount',
      ],
      [{ triggerType: 'EVENT', eventName: 'paid', triggerConfig: { yearly: true } }, 'triggerConfig.yearly'],
    ]
    for (const [input, field] of wrong) {
      const refused = await engine.workflows
        .create(project, untrusted({ name: 'Wrong', triggerType: 'DATE', ...input }))
        .catch((error: unknown) => error)
      const fields = EngineError.is(refused) ? refused.fields.map((each) => each.field) : refused
      expect({ input, fields }).toEqual({ input, fields: [field] })
    }
    const most = { amount: 365, unit: 'days', direction: 'before' }
    await dated(here, { field: 'data.born', offset: most })
    await expect(engine.contacts.fields.remove(project, 'born')).rejects.toThrow('is used by the workflow "Dated"')
  })
})

it.each([STRICT])('is found among many contacts, in whatever form it has, on $name', async ({ store }) => {
  const { world: here, clock } = await worldOn(store(), '2026-06-01T12:00:00Z')
  const { engine, project } = here
  const forms: readonly JsonObject[] = [
    { due: '2026-06-02' },
    { due: '2026-06-02T08:00:00+02:00' },
    { due: Date.parse('2026-06-02T12:00:00Z') / 1000 },
    { due: ['no date', '2026-06-02'] },
    { due: '2026-06-03', timezone: 'Pacific/Kiritimati' },
    { due: '2026-06-02', timezone: 'Pacific/Pago_Pago' },
    { due: '2025-06-02' },
    { due: null },
  ]
  const names = Array.from({ length: 600 }, (_, i) => `c${i}`)
  for (let i = 0; i < names.length; i += 100) {
    await Promise.all(names.slice(i, i + 100).map((name, j) => put(here, name, forms[(i + j) % forms.length]!)))
  }
  const once = await dated(here, { field: 'data.due' })
  const yearly = await dated(here, { field: 'data.due', yearly: true })
  const joined = await dated(here, { field: 'createdAt', offset: { amount: 1, unit: 'days', direction: 'after' } })
  // in Kiritimati it is nine o'clock of the next day since seven in the evening; in Pago Pago it is not yet
  clock.set('2026-06-02T19:00:00Z')
  await engine.idle()
  const count = async ({ id }: Made) => (await engine.workflows.executions.list(project, id, {})).total
  expect(await count(once)).toBe(600 * (5 / 8))
  expect(await count(yearly)).toBe(600 * (6 / 8))
  // those of Pago Pago came at one in the morning there, on the day before
  expect(await count(joined)).toBe(600 * (7 / 8))
})

it('is made up for after a time without a server, on SQLite', async () => {
  const file = sqlite({ file: freshFile(join(freshFolder(), 'test.db')) })
  const clock = new SettableClock('2026-06-01T00:00:00Z')
  const before = await engineOnStore(file, { clock })
  const { id } = await dated(before, { field: 'data.due' })
  await put(before, 'first', { due: '2026-06-02' })
  await put(before, 'second', { due: '2026-06-12' })
  await before.engine.stop()
  clock.set('2026-06-12T10:00:00Z')
  const after = await engineOnStore(file, { clock })
  await after.engine.start()
  await after.engine.idle()
  // ten days are too late for a mail about a date, a day is not
  expect(await startedIn(after.engine, after.project, id)).toEqual(['second@example.org'])
})

it('starts each contact once with two workers, on PostgreSQL', async () => {
  const clock = new SettableClock('2026-06-01T00:00:00Z')
  const plugin = postgres({ url: await freshDatabase() })
  const one = await engineOnStore(plugin, { clock })
  const two = await engineOnStore(plugin, { clock })
  const { id, started } = await dated(one, { field: 'data.due', yearly: true })
  const names = Array.from({ length: 40 }, (_, i) => `c${String(i).padStart(2, '0')}`)
  for (const name of names) await put(one, name, { due: '2026-06-02' })
  await Promise.all([one.engine.start(), two.engine.start()])
  for (const moment of ['2026-06-02T09:00:00Z', '2026-06-02T09:15:00Z']) {
    clock.set(moment)
    await Promise.all([one.engine.idle(), two.engine.idle()])
  }
  expect(await started()).toEqual(names.map((name) => `${name}@example.org`))
  expect((await two.engine.workflows.stats(two.project, id)).total).toBe(40)
})
