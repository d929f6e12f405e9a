import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Engine, Project } from '../../config/library.ts'
import { EngineError } from '../../core/errors.ts'
import { matches } from '../../core/filters/matches.ts'
import type { Plugin } from '../../core/plugin/types.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { DateTrigger } from '../../core/ports/store/workflows.ts'
import { untrusted } from '../../core/values/input.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { firstDate, momentFor, zoneAmong } from '../../core/workflows/contact-dates.ts'
import { audienceOf, cameDate } from '../../core/workflows/date-trigger.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { isStrictSwapped, isSwapped, QUICK, STORES, STRICT } from '../support/matrix.ts'
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

describe.skipIf(isStrictSwapped)('a date of contacts', () => {
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

it.each(STORES)('is missed for no contact, wherever it is and however its date is written, on $name', async ({
  store,
}) => {
  const { world: here } = await worldOn(store(), '2026-06-01T12:00:00Z')
  const { project } = here
  const zones = ['Etc/GMT+12', 'Etc/GMT-14', 'Asia/Kathmandu', 'America/New_York', 'Europe/Berlin', 'Mars', undefined]
  const offsets = ['Z', '+14:00', '-12:00', '+23:59', '-23:59', '']
  const days = ['2027-02-27', '2028-02-29', '2027-12-31', '2027-03-28', '2027-10-31', '2028-01-01']
  const clocks = ['00:00', '09:05', '23:59']
  const written = days.flatMap((day, i) => [
    ...[
      day,
      `${day}T23:30:00Z`,
      Date.parse(day) / 1000,
      Date.parse(day) + 3_600_000,
      `${Date.parse(day) / 1000 + 80_000}`,
      ['no', day],
    ],
    ...offsets.map((offset, j) => `${day}T${clocks[(i + j) % 3]}${offset}`),
  ])
  const names = written.flatMap((_, i) => [`a${i}`, `b${i}`])
  const dataOf = (i: number): JsonObject => {
    const timezone = zones[(i * 5 + (i >> 3)) % zones.length]
    return { due: written[i >> 1]!, ...(timezone === undefined ? {} : { timezone }) }
  }
  const ids = await Promise.all(names.map((name, i) => put(here, name, dataOf(i))))
  const contacts = await here.store.contacts.findAll(project.id, ids)
  const missed: unknown[] = []
  for (const [i, contact] of contacts.entries()) {
    const at = clocks[i % 3]!
    const offset = [
      undefined,
      { amount: 1, unit: 'weeks', direction: 'before' },
      { amount: 40, unit: 'days', direction: 'after' },
    ][i % 5]
    for (const yearly of [false, true]) {
      const trigger = {
        field: 'data.due',
        at,
        ...(offset ? { offset } : {}),
        ...(yearly ? { yearly } : {}),
      } as DateTrigger
      const moment = comesAt(contact, trigger, yearly ? 2029 + (i % 4) : undefined)
      for (const looked of [quarterUpTo(moment), quarterUpTo(new Date(moment.getTime() + 899_999))]) {
        const found = await here.store.contacts.among(project.id, [contact.id], audienceOf(trigger, project, looked))
        const came = cameDate(trigger, project, contact, looked)
        if (!came || !found.has(contact.id)) missed.push({ data: contact.data, trigger, looked, came })
        // a date of the record itself
        const made = { ...contact, createdAt: firstMoment(contact) }
        const joined = { ...trigger, field: 'createdAt' }
        const then = quarterUpTo(comesAt(made, joined, yearly ? 2029 + (i % 4) : undefined))
        if (!matches(audienceOf(joined, project, then), subject(made)))
          missed.push({ made: made.createdAt, joined, then })
      }
    }
  }
  expect(missed).toEqual([])
})

it.each(
  STORES,
)('is looked for without reading most contacts, and those read keep no one from writing, on $name', async ({
  store,
}) => {
  const { world: here, clock } = await worldOn(store(), '2026-06-01T12:00:00Z')
  const days = Array.from({ length: 120 }, (_, i) => new Date(Date.UTC(1990, 3, 1 + i)).toISOString().slice(0, 10))
  await Promise.all(
    days.map((born, i) => put(here, `c${i}`, { born, ...(i % 2 === 0 ? {} : { timezone: 'Asia/Tokyo' }) })),
  )
  const read = { ahead: 0, held: 0 }
  const counted = (repositories: Pick<typeof here.store, 'contacts'>, where: keyof typeof read) => {
    const find = repositories.contacts.findAll.bind(repositories.contacts)
    return vi.spyOn(repositories.contacts, 'findAll').mockImplementation((projectId, ids) => {
      read[where] += ids.length
      return find(projectId, ids)
    })
  }
  counted(here.store, 'ahead')
  const transaction = here.store.transaction.bind(here.store)
  vi.spyOn(here.store, 'transaction').mockImplementation((work) =>
    transaction((tx) => {
      const spied = counted(tx, 'held')
      return work(tx).finally(() => spied.mockRestore())
    }),
  )
  await dated(here, { field: 'data.born', yearly: true })
  const readAt = async (moment: string) => {
    Object.assign(read, { ahead: 0, held: 0 })
    clock.set(moment)
    await here.engine.idle()
    return { ...read }
  }
  await goTo(here, clock, '2026-06-02T08:45:00Z')
  // at nine it is the hour of all who have no zone, of whom one has this birthday
  const { ahead, held } = await readAt('2026-06-02T09:00:00Z')
  expect({ held, few: ahead <= 10 }).toEqual({ held: days.indexOf('1990-06-02') % 2 === 0 ? 1 : 0, few: true })
  // afterwards it may be the hour only of those who have one
  const later = await readAt('2026-06-02T09:15:00Z')
  expect({ held: later.held, few: later.ahead <= 5 }).toEqual({ held: 0, few: true })
})

/** When the date of the contact comes. */
function comesAt(contact: Contact, trigger: DateTrigger, year: number | undefined): Date {
  const found = trigger.field === 'createdAt' ? { moment: contact.createdAt, isDay: false } : dateOf(contact)
  return momentFor(found, trigger, zoneAmong([contact.data.timezone ?? null], 'UTC').days, year)
}

function dateOf({ data: { due = null } }: Contact) {
  const found = firstDate(Array.isArray(due) ? due : [due])
  if (typeof found === 'string') throw new Error(`no date: ${due}`)
  return found
}

const firstMoment = (contact: Contact) => dateOf(contact).moment

const quarterUpTo = (until: Date) => ({ after: new Date(until.getTime() - 900_000), until })

function subject(contact: Contact) {
  const none = () => false
  return { contact, eventsIn: () => 0, memberOf: none, choiceOf: () => undefined, didInCampaign: none }
}

it.skipIf(isSwapped)('is made up for after a time without a server, on SQLite', async () => {
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

it.skipIf(isSwapped)('starts each contact once with two workers, on PostgreSQL', async () => {
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
