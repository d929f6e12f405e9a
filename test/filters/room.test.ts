import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import type { Filters } from '../../core/filters/filters.ts'
import { matches } from '../../core/filters/matches.ts'
import { conditionsOf, mentionsOf } from '../../core/filters/mentions.ts'
import { OPERATOR_NAMES } from '../../core/filters/operators.ts'
import type { Filter, FilterCondition } from '../../core/ports/store/filters.ts'
import { isSteady } from '../../core/segments/compute-segments.ts'
import { and, filtersOver, people, segment, subjectOf } from '../contracts/store/filter-people.ts'
import { campaign, contact, newId, project, put as putContacts } from '../contracts/store/records.ts'
import { type TestStore, testStore } from '../support/store.ts'

const acme = project()
const EXISTS = { field: 'data.plan', operator: 'exists' } as const

let test: TestStore
let filters: Filters

beforeEach(async () => {
  test = await testStore()
  filters = filtersOver(test.store)
})

afterEach(() => test.close())

describe('a segment in a filter', () => {
  it('must be one of the project', async () => {
    const theirs = segment(project().id, 'theirs', and(EXISTS))
    const ours = await put('ours', and(EXISTS))
    await test.store.segments.insert(theirs)
    const asked = and(memberOf(ours), and(EXISTS, memberOf(theirs.id)), memberOf(newId()), memberOf('x'))
    expect(await problems(filters.read(acme, asked, 'filters'))).toEqual([
      'filters.conditions.1.conditions.1.field custom',
      'filters.conditions.2.field custom',
      'filters.conditions.3.field custom',
    ])
    const plunks = { logic: 'AND', groups: [{ filters: [EXISTS] }, { filters: [EXISTS, memberOf(theirs.id)] }] }
    expect(await problems(filters.read(acme, plunks, 'condition'))).toEqual([
      'condition.groups.1.filters.1.field custom',
    ])
    await expect(filters.read(acme, and(memberOf(ours)), 'filters')).resolves.toEqual(and(memberOf(ours)))
  })

  it('must not lead back to the segment that is to have the filter', async () => {
    const self = await put('self', and(EXISTS))
    const near = await put('near', and(EXISTS, { operator: 'OR', conditions: [memberOf(self)] }))
    const far = await put('far', and(memberOf(near)))
    const other = await put('other', and(EXISTS))
    const asked = and(memberOf(self), memberOf(far), memberOf(other))
    expect(await problems(filters.read(acme, asked, 'filters', { self }))).toEqual([
      'filters.conditions.0.field custom',
      'filters.conditions.1.field custom',
    ])
    await expect(filters.read(acme, asked, 'filters', { self: other })).rejects.toThrow('the segment itself')
    await expect(filters.read(acme, asked, 'filters')).resolves.toEqual(asked)
  })

  it('must not spell out more conditions than a database can be asked', async () => {
    let inner = await put('inner', and(...Array(50).fill(EXISTS)))
    inner = await put('middle', and(...Array(9).fill(memberOf(inner))))
    await expect(filters.read(acme, and(memberOf(inner)), 'filters')).resolves.toBeDefined()
    const asked = and(...Array(2).fill(memberOf(inner)))
    expect(await problems(filters.read(acme, asked, 'filters'))).toEqual(['filters too_big'])
    await expect(filters.audience(acme, asked)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('that is gone has no members, and nobody is known not to be one', async () => {
    expect(await whom(and(memberOf(newId())))).toEqual([])
    expect(await whom(and({ field: `segment.${newId()}`, operator: 'notMemberOfSegment' }))).toEqual([])
  })

  it('that leads back to itself after all has no members by that', async () => {
    const one = segment(acme.id, 'one')
    const two = await put('two', { operator: 'OR', conditions: [memberOf(one.id), { ...EXISTS, field: 'data.tags' }] })
    await test.store.segments.insert({ ...one, type: 'DYNAMIC', filter: and(memberOf(two)) })
    expect(await whom(and(memberOf(one.id)))).toEqual(['ada', 'fay'])
  })
})

it('a campaign in a filter must be one of the project, and has no say of who got nothing', async () => {
  const [ours, theirs] = [campaign(acme.id), campaign(project().id)]
  for (const each of [ours, theirs]) await test.store.campaigns.insert(each)
  const opened = (id: string) => ({ field: `campaign.${id}`, operator: 'notOpened' }) as const
  await expect(filters.read(acme, and(opened(ours.id)), 'filters')).resolves.toEqual(and(opened(ours.id)))
  const asked = and(opened(ours.id), { operator: 'OR', conditions: [opened(theirs.id), opened(newId())] })
  expect(await problems(filters.read(acme, asked, 'filters'))).toEqual([
    'filters.conditions.1.conditions.0.field custom',
    'filters.conditions.1.conditions.1.field custom',
  ])
  // a key of the data may begin with the word
  const key = and({ field: 'campaign.source', operator: 'exists' })
  await expect(filters.read(acme, key, 'filters')).resolves.toEqual(key)
})

describe('a filter that nobody read', () => {
  it.each<[name: string, filter: unknown]>([
    ['of an unknown field', wrong({ field: 'email.sold', operator: 'triggered' })],
    ['of an unknown operator', wrong({ field: 'data.plan', operator: 'like', value: 'pro' })],
    ['of an unknown operator of events', wrong({ field: 'event.purchase', operator: 'like', value: 1, unit: 'days' })],
    ['of an unknown unit', wrong({ field: 'createdAt', operator: 'within', value: 1, unit: 'toString' })],
    ['without a date', wrong({ field: 'createdAt', operator: 'equals' })],
    ['without a span', wrong({ field: 'data.signup', operator: 'within' })],
    ['of six levels', and(and(and(and(and(and(EXISTS))))))],
  ])('%s matches nobody', async (_name, filter) => {
    expect(await whom(filter as Filter)).toEqual([])
  })
})

describe('a day of the year', () => {
  it.each([
    ['Pacific/Kiritimati', 'begins and ends by the clocks of the project', '2025-06-01T12:00:00Z', 0, ['cyd']],
    ['America/New_York', 'begins and ends by the clocks of the project', '2025-06-02T03:59:00Z', 0, ['ada', 'eve']],
    ['UTC', 'goes over the end of the year', '2025-12-30T12:00:00Z', 1, ['fay']],
    ['UTC', 'counts 29 February on the 28th where there is none', '2025-02-28T12:00:00Z', 0, ['bob']],
    ['UTC', 'counts 29 February on the 28th where there is none', '2025-03-01T12:00:00Z', 0, []],
    ['UTC', 'leaves 29 February where there is one', '2028-02-28T12:00:00Z', 0, []],
    ['UTC', 'leaves 29 February where there is one', '2028-02-29T12:00:00Z', 0, ['bob']],
    ['UTC', 'has 29 February between the days', '2026-02-26T12:00:00Z', 4, ['bob']],
    ['UTC', 'is any day with a whole year ahead', '2026-02-26T12:00:00Z', 365, ['ada', 'bob', 'cyd', 'eve', 'fay']],
  ])('in %s %s, at %s and %d days on', async (timeZone, _says, now, value, names) => {
    const all = people(acme.id)
    const filter = and({ field: 'data.born', operator: 'yearlyWithinNext', value })
    const audience = await filters.audience({ ...acme, timeZone }, filter, new Date(now))
    expect(Object.keys(all.contacts).filter((name) => matches(audience, subjectOf(all, name)))).toEqual(names)
  })
})

it('takes "today" as a text where contacts have texts, and refuses it where they have dates', async () => {
  const made = [{ frequency: 'today', due: 'today' }, { due: '2025-06-01' }].map((data) => contact(acme.id, { data }))
  await putContacts(test.store, acme.id, { contacts: made })
  const asked = and(
    { field: 'data.frequency', operator: 'equals', value: 'today' },
    { field: 'data.due', operator: 'notIn', value: ['2025-01-01', ' In 7  days'] },
    { field: 'data.due', operator: 'equals', value: 'sunday' },
  )
  expect(await problems(filters.read(acme, asked, 'filters'))).toEqual(['filters.conditions.1.value.1 invalid_date'])
})

describe('the type of a condition', () => {
  it('has every operator that there is, and no other', () => {
    const typed: { readonly [Name in FilterCondition['operator']]: true } = {
      ...{ equals: true, notEquals: true, contains: true, notContains: true, startsWith: true, endsWith: true },
      ...{ in: true, notIn: true, greaterThan: true, lessThan: true, greaterThanOrEqual: true },
      ...{
        lessThanOrEqual: true,
        within: true,
        withinNext: true,
        olderThan: true,
        exists: true,
        notExists: true,
        triggered: true,
      },
      ...{ notTriggered: true, triggeredWithin: true, notTriggeredWithin: true, triggeredOlderThan: true },
      ...{
        yearlyWithinNext: true,
        memberOfSegment: true,
        notMemberOfSegment: true,
        received: true,
        notReceived: true,
        opened: true,
      },
      ...{ notOpened: true, clicked: true, notClicked: true, humanOpened: true, notHumanOpened: true },
      ...{ humanClicked: true, notHumanClicked: true, clickedLink: true, notClickedLink: true, bounced: true },
      ...{ notBounced: true, failed: true, notFailed: true, mailed: true, notMailed: true },
    }
    expect(Object.keys(typed).toSorted()).toEqual(OPERATOR_NAMES.toSorted())
    const field = 'createdAt'
    const conditions: readonly FilterCondition[] = [
      { field, operator: 'within', value: 3, unit: 'days' },
      // @ts-expect-error a span has a unit
      { field, operator: 'within', value: 3 },
      { field, operator: 'yearlyWithinNext', value: 0 },
      // @ts-expect-error of these three
      { field, operator: 'within', value: 3, unit: 'weeks' },
      // @ts-expect-error no such operator
      { field, operator: 'before', value: '2026-01-01' },
      // @ts-expect-error a list
      { field: 'data.plan', operator: 'in', value: 'pro' },
      // @ts-expect-error events alone are triggered
      { field: 'data.plan', operator: 'triggered' },
      // @ts-expect-error and are counted
      { field: 'data.plan', operator: 'equals', value: 'pro', count: 2 },
      { field: 'event.paid', operator: 'triggeredWithin', value: 2, unit: 'hours', count: 2 },
    ]
    expect(conditions).toHaveLength(9)
  })
})

describe('what a filter mentions', () => {
  it('is the keys of data, the events and the segments in it', () => {
    const id = newId()
    const filter = and(
      EXISTS,
      { field: 'address.city', operator: 'exists' },
      { field: 'email', operator: 'equals', value: 'data.no' },
      { operator: 'OR', conditions: [{ field: 'data.__proto__', operator: 'exists' }, memberOf(id)] },
      and({ field: 'email.open', operator: 'triggered' }, { field: 'event.a.b', operator: 'notTriggered' }),
      { field: 'createdAt', operator: 'within', value: 1, unit: 'days' },
      { field: 'a\\.b.c', operator: 'exists' },
      { field: 'topic.news', operator: 'exists' },
    )
    expect(mentionsOf(filter)).toEqual({
      // a key may have dots, too
      fields: new Set(['plan', 'address', 'address.city', '__proto__', 'a.b', 'a\\.b.c']),
      events: new Set(['email.open', 'a.b']),
      segments: new Set([id]),
      topics: new Set(['news']),
    })
    expect([...conditionsOf(filter)]).toHaveLength(10)
  })
})

describe('a steady filter', () => {
  it('asks nothing but the contact itself, and nothing of now', () => {
    const steady = and(EXISTS, { field: 'createdAt', operator: 'greaterThan', value: '2025-01-01' })
    expect(isSteady(steady)).toBe(true)
    const others: readonly FilterCondition[] = [
      { field: 'createdAt', operator: 'within', value: 1, unit: 'days' },
      { field: 'data.signup', operator: 'olderThan', value: 1, unit: 'days' },
      { field: 'data.signup', operator: 'withinNext', value: 1, unit: 'days' },
      { field: 'data.signup', operator: 'yearlyWithinNext', value: 0 },
      { field: 'email.open', operator: 'triggered' },
      { field: 'event.x', operator: 'notTriggered' },
      memberOf(newId()),
      { field: 'topic.news', operator: 'equals', value: true },
      { field: `campaign.${newId()}`, operator: 'notOpened' },
      { field: 'email.sold', operator: 'triggered' },
    ]
    for (const condition of others) {
      expect(isSteady(and(EXISTS, and(condition)))).toBe(false)
    }
  })
})

/** A filter as an older version may have stored it. */
function wrong(condition: object): Filter {
  return and(condition as FilterCondition)
}

function memberOf(id: string) {
  return { field: `segment.${id}`, operator: 'memberOfSegment' } as const
}

async function put(slug: string, filter: Filter): Promise<string> {
  const made = segment(acme.id, slug, filter)
  await test.store.segments.insert(made)
  return made.id
}

/** Names of the people the filter matches. */
async function whom(filter: Filter): Promise<readonly string[]> {
  const all = people(acme.id)
  const audience = await filters.audience(acme, filter)
  return Object.keys(all.contacts).filter((name) => matches(audience, subjectOf(all, name)))
}

async function problems(reading: Promise<Filter>): Promise<readonly string[]> {
  return reading.then(
    (filter) => [JSON.stringify(filter)],
    (error: unknown) => {
      if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
      return error.fields.map(({ field, code }) => `${field} ${code}`)
    },
  )
}
