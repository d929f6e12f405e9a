import type { People } from './filter-people.ts'

/** A filter as it is sent, and the names of those it matches, in their order. */
export interface Case {
  readonly name: string
  readonly filter: unknown
  readonly matches: readonly string[]
}

type Row = readonly [
  field: string,
  operator: string,
  value: unknown,
  matches: string,
  unit?: string | undefined,
  count?: number,
]

/** Every kind of filter with whom it matches of these people. */
export function cases({ segments }: People): readonly Case[] {
  const { vips, pros, keen } = segments
  const single: readonly Row[] = [
    ...ADDRESS,
    ...CREATED,
    ...TEXTS,
    ...NUMBERS,
    ...PATHS,
    ...DATES,
    ...EVENTS,
    [`segment.${vips.id}`, 'memberOfSegment', undefined, 'ada eve'],
    [`segment.${vips.id}`, 'notMemberOfSegment', undefined, 'bob cyd dee fay gus'],
    [`segment.${pros.id}`, 'memberOfSegment', undefined, 'ada'],
    [`segment.${pros.id}`, 'notMemberOfSegment', undefined, 'bob cyd dee eve fay gus'],
    [`segment.${keen.id}`, 'memberOfSegment', undefined, 'ada cyd'],
  ]
  const both = {
    operator: 'AND',
    conditions: [
      { field: `segment.${vips.id}`, operator: 'memberOfSegment' },
      { field: `segment.${keen.id}`, operator: 'notMemberOfSegment' },
    ],
  }
  return [
    ...single.map(([field, operator, value, matches, unit, count]) => ({
      name: [field, operator, JSON.stringify(value), unit, count && `${count} times`].filter(Boolean).join(' '),
      filter: { operator: 'AND', conditions: [{ field, operator, value, unit, count }] },
      matches: matches === '' ? [] : matches.split(' '),
    })),
    ...JOINED,
    { name: 'in one segment and not in another', filter: both, matches: ['eve'] },
  ]
}

const ADDRESS: readonly Row[] = [
  ['email', 'equals', 'ada@example.com', 'ada'],
  ['email', 'equals', ' ADA@Example.COM ', 'ada'],
  ['email', 'equals', 'dee@xn--mnchen-3ya.de', 'dee'],
  ['email', 'equals', 'nobody@example.com', ''],
  ['email', 'equals', "' or 1=1 --", ''],
  ['email', 'notEquals', 'ADA@example.com', 'bob cyd dee eve fay gus'],
  ['email', 'contains', 'EXAMPLE.', 'ada bob cyd eve fay gus'],
  ['email', 'contains', '_', 'fay'],
  ['email', 'contains', '%', ''],
  ['email', 'contains', '?', ''],
  ['email', 'contains', 'MÜNCHEN', 'dee'],
  ['email', 'notContains', 'Example', 'dee'],
  ['email', 'startsWith', 'CYD+', 'cyd'],
  ['email', 'startsWith', 'example', ''],
  ['email', 'endsWith', '@EXAMPLE.com', 'ada eve gus'],
  ['email', 'endsWith', '.com', 'ada cyd eve gus'],
  ['email', 'in', ['ADA@example.com', 'bob@example.org', 'x'], 'ada bob'],
  ['email', 'in', ['nobody'], ''],
  ['subscribed', 'equals', true, 'ada cyd dee fay'],
  ['subscribed', 'equals', false, 'bob eve gus'],
  ['subscribed', 'notEquals', true, 'bob eve gus'],
  ['subscribed', 'notEquals', false, 'ada cyd dee fay'],
  ['tracking', 'equals', 'full', 'ada dee fay gus'],
  ['tracking', 'equals', 'anonymous', 'cyd'],
  ['tracking', 'equals', 'none', 'bob eve'],
  ['tracking', 'notEquals', 'none', 'ada cyd dee fay gus'],
  ['data.tracking', 'equals', 'none', ''],
]

const CREATED: readonly Row[] = [
  ['createdAt', 'equals', '2025-05-31', 'bob dee gus'],
  ['createdAt', 'notEquals', '2025-05-31', 'ada cyd eve fay'],
  ['createdAt', 'equals', '2025-05-31T12:00:00Z', 'gus'],
  ['createdAt', 'equals', '2025-05-31T14:00:00+02:00', 'gus'],
  ['createdAt', 'greaterThan', '2025-05-31', 'ada eve'],
  ['createdAt', 'greaterThanOrEqual', '2025-05-31', 'ada bob dee eve gus'],
  ['createdAt', 'lessThan', '2025-05-31', 'cyd fay'],
  ['createdAt', 'lessThanOrEqual', '2025-05-31', 'bob cyd dee fay gus'],
  ['createdAt', 'greaterThan', '2025-05-31T12:00:00Z', 'ada dee eve'],
  ['createdAt', 'greaterThanOrEqual', '2025-05-31T12:00:00Z', 'ada dee eve gus'],
  ['createdAt', 'lessThan', '2025-05-31T12:00', 'bob cyd fay'],
  ['createdAt', 'lessThanOrEqual', '2025-05-31T12:00', 'bob cyd fay gus'],
  ['createdAt', 'lessThan', '2025-05-31T00:00:00.001Z', 'bob cyd fay'],
  ['createdAt', 'within', 1, 'ada dee eve gus', 'days'],
  ['createdAt', 'olderThan', 1, 'bob cyd fay', 'days'],
  ['createdAt', 'within', 30, 'ada', 'minutes'],
  ['createdAt', 'within', 29.5, '', 'minutes'],
  ['createdAt', 'olderThan', 12, 'bob cyd dee fay gus', 'hours'],
  ['createdAt', 'within', 1_000_000_000, 'ada bob cyd dee eve fay gus', 'days'],
  ['createdAt', 'olderThan', 1_000_000_000, '', 'days'],
  ['createdAt', 'greaterThan', '9999-12-31', ''],
  ['createdAt', 'greaterThan', '0000-01-01', 'ada bob cyd dee eve fay gus'],
  ['createdAt', 'equals', '0000-01-01', ''],
  ['updatedAt', 'equals', '2025-01-01', 'fay'],
  ['updatedAt', 'greaterThan', '2025-01-01', 'ada bob cyd dee eve gus'],
  ['updatedAt', 'olderThan', 100, 'fay', 'days'],
]

const TEXTS: readonly Row[] = [
  ['data.plan', 'equals', 'pro', 'ada'],
  ['plan', 'equals', 'pro', 'ada'],
  ['data.plan', 'equals', 'Pro', 'cyd'],
  ['data.plan', 'equals', 'pro ', 'gus'],
  ['data.plan', 'equals', '["pro"]', ''],
  ['data.plan', 'equals', 'null', ''],
  ['data.plan', 'equals', '', ''],
  ['data.plan', 'notEquals', 'pro', 'bob cyd fay gus'],
  ['data.plan', 'contains', 'ro', 'ada cyd gus'],
  ['data.plan', 'contains', 'PRO', ''],
  ['data.plan', 'notContains', 'ro', 'bob fay'],
  ['data.plan', 'startsWith', 'pro', 'ada gus'],
  ['data.plan', 'endsWith', 'o', 'ada cyd'],
  ['data.plan', 'endsWith', 'pro', 'ada'],
  ['data.plan', 'endsWith', 'longer than any of the plans', ''],
  ['data.plan', 'in', ['pro', 'free'], 'ada bob'],
  ['data.plan', 'in', ['PRO', '["pro"]'], ''],
  ['data.plan', 'exists', undefined, 'ada bob cyd fay gus'],
  ['data.plan', 'notExists', undefined, 'dee eve'],
  ['data.plan', 'greaterThan', 'free', 'ada gus'],
  ['data.plan', 'greaterThanOrEqual', 'pro', 'ada gus'],
  ['data.plan', 'lessThan', 'pro', 'bob cyd'],
  ['data.plan', 'lessThanOrEqual', 'Pro', 'cyd'],
  ['data.name', 'contains', '"', 'ada'],
  ['data.name', 'contains', '%', 'bob'],
  ['data.name', 'contains', '_', 'cyd'],
  ['data.name', 'contains', '\\', 'cyd'],
  ['data.name', 'contains', '?', ''],
  ['data.name', 'equals', 'Cyd_under\\score', 'cyd'],
  ['data.name', 'equals', "x' or 1=1 --", 'fay'],
  ['data.name', 'equals', 'Ada "Countess" Lovelace', 'ada'],
  ['data.name', 'in', ['Ada "Countess" Lovelace', 'Cyd_under\\score', '🙂 emoji', '{,}'], 'ada cyd eve'],
  ['data.name', 'startsWith', '🙂', 'eve'],
  ['data.name', 'contains', '🙂 e', 'eve'],
  ['data.name', 'endsWith', 'emoji', 'eve'],
  ['data.name', 'greaterThan', '\uFF5E', 'eve gus'],
  ['data.name', 'greaterThan', '\uFFFD', 'eve'],
  ['data.name', 'lessThan', '🙂', 'ada bob cyd fay gus'],
  ['data.name', 'greaterThan', '🙂', 'eve'],
]

const NUMBERS: readonly Row[] = [
  ['data.age', 'equals', 36, 'ada'],
  ['data.age', 'equals', '36', 'ada bob'],
  ['data.age', 'equals', '36.0', 'ada'],
  ['data.age', 'equals', '3.6e1', 'ada'],
  ['data.age', 'equals', '1e999', ''],
  ['data.age', 'notEquals', 36, 'bob cyd eve fay gus'],
  ['data.age', 'notEquals', '36', 'cyd eve fay gus'],
  ['data.age', 'equals', 1e21, 'eve'],
  ['data.age', 'equals', '1000000000000000000000', 'eve'],
  ['data.age', 'in', [36, 7], 'ada cyd'],
  ['data.age', 'in', ['36', '7'], 'ada bob cyd'],
  ['data.age', 'in', [true, 7], 'cyd fay'],
  ['data.age', 'greaterThan', 7, 'ada eve gus'],
  ['data.age', 'greaterThan', '7', 'ada eve gus'],
  ['data.age', 'greaterThan', '2', 'ada bob cyd eve gus'],
  ['data.age', 'lessThan', 36, 'cyd gus'],
  ['data.age', 'lessThanOrEqual', 36, 'ada cyd gus'],
  ['data.age', 'lessThanOrEqual', '7', 'bob cyd'],
  ['data.age', 'greaterThanOrEqual', 35.999, 'ada eve gus'],
  ['data.age', 'exists', undefined, 'ada bob cyd eve fay gus'],
  ['data.age', 'contains', '3', 'bob'],
  ['data.code', 'equals', '007', 'ada'],
  ['data.code', 'equals', '7', 'bob eve'],
  ['data.code', 'equals', 7, 'bob'],
  ['data.code', 'notEquals', 7, 'ada eve gus'],
  ['data.code', 'startsWith', '0', 'ada'],
  ['data.score', 'equals', 1.5, 'ada gus'],
  ['data.score', 'equals', '1.50', 'ada gus'],
  ['data.score', 'equals', 0.1, 'eve'],
  ['data.score', 'lessThan', 0, 'cyd'],
  ['data.score', 'greaterThan', 0.1, 'ada gus'],
  ['data.score', 'lessThan', 1e308, 'ada cyd eve gus'],
  ['data.score', 'notEquals', 1.5, 'cyd eve'],
  ['data.score', 'notExists', undefined, 'bob dee fay'],
  ['data.active', 'equals', true, 'ada gus'],
  ['data.active', 'equals', false, 'cyd'],
  ['data.active', 'equals', 'true', 'bob'],
  ['data.active', 'equals', 1, ''],
  ['data.active', 'notEquals', true, 'bob cyd'],
  ['data.active', 'in', [true, false], 'ada cyd gus'],
]

const PATHS: readonly Row[] = [
  ['data.address.city', 'equals', 'London', 'ada'],
  ['address.city', 'in', ['London', 'Paris'], 'ada cyd'],
  ['data.address.city', 'exists', undefined, 'ada cyd gus'],
  ['data.address.city', 'notExists', undefined, 'bob dee eve fay'],
  ['data.address.city', 'notEquals', 'London', 'cyd gus'],
  ['data.address', 'exists', undefined, 'ada bob cyd eve fay gus'],
  ['data.address', 'equals', 'London', 'bob'],
  ['data.address', 'notEquals', '{}', 'ada bob cyd eve fay gus'],
  ['data.address.geo.lat', 'greaterThan', 51, 'ada'],
  ['data.address.0', 'equals', 'nought', 'gus'],
  ['data.address.0.city', 'exists', undefined, ''],
  ['data.address.0.city', 'equals', 'London', ''],
  ['data.0', 'equals', 'zero', 'fay'],
  ['data.tags.0', 'exists', undefined, ''],
  ['data.tags', 'exists', undefined, 'ada cyd fay'],
  ['data.tags', 'equals', 'a', 'fay'],
  ['data.tags', 'contains', 'a', 'fay'],
  ['data.tags', 'notContains', 'a', 'ada cyd'],
  ['data.__proto__', 'equals', 'p', 'fay'],
  ['data.constructor', 'exists', undefined, 'fay'],
  ['data.constructor', 'equals', 'c', 'fay'],
  ['data.toString', 'exists', undefined, ''],
  ['data.quo"te', 'equals', 'q', 'fay'],
  ['data.a\\.b', 'equals', 'dotted', 'fay'],
  ['data.a.b', 'exists', undefined, ''],
  ['data.back\\slash', 'equals', 'b', 'fay'],
  ['data.back\\\\slash', 'equals', 'b', 'fay'],
  ['data.$', 'equals', 'dollar', 'fay'],
  ['data.🙂', 'equals', 'smile', 'fay'],
  ["data.plan' or 1=1 --", 'exists', undefined, ''],
  ['data.plan"', 'notExists', undefined, 'ada bob cyd dee eve fay gus'],
  ['data.tags[0]', 'exists', undefined, ''],
  ['data.?', 'exists', undefined, ''],
  ['data', 'exists', undefined, ''],
]

const DATES: readonly Row[] = [
  ['data.signup', 'equals', '2025-05-31', 'ada bob cyd'],
  ['data.signup', 'notEquals', '2025-05-31', 'eve fay gus'],
  ['data.signup', 'equals', '2025-05-31T23:00:00Z', 'cyd'],
  ['data.signup', 'greaterThan', '2025-05-31', 'gus'],
  ['data.signup', 'greaterThanOrEqual', '2025-05-31', 'ada bob cyd gus'],
  ['data.signup', 'lessThan', '2025-06-01', 'ada bob cyd'],
  ['data.signup', 'lessThanOrEqual', '2025-05-30', ''],
  ['data.signup', 'greaterThan', '2025-05-31T23:00', 'bob gus'],
  ['data.signup', 'lessThan', '2025-05-31t23:30z', 'ada cyd'],
  ['data.signup', 'within', 1, 'bob cyd gus', 'days'],
  ['data.signup', 'olderThan', 1, 'ada', 'days'],
  ['data.signup', 'within', 13, 'bob cyd gus', 'hours'],
  ['data.signup', 'within', 60, 'gus', 'minutes'],
  ['data.signup', 'olderThan', 720, 'ada bob cyd', 'minutes'],
  ['data.signup', 'olderThan', 1_000_000_000, '', 'days'],
  ['data.signup', 'equals', '2025-02-30', 'eve'],
  ['data.signup', 'greaterThan', '2025-02-29', 'ada bob cyd eve gus'],
  ['data.signup', 'in', ['2025-05-31'], 'ada'],
  ['data.signup', 'contains', '2025-05', 'ada bob'],
  ['data.plan', 'within', 1, '', 'days'],
]

const EVENTS: readonly Row[] = [
  ['event.purchase', 'triggered', undefined, 'ada bob eve'],
  ['event.purchase', 'notTriggered', undefined, 'cyd dee fay gus'],
  ['event.purchase', 'triggered', undefined, 'ada bob eve', undefined, 1],
  ['event.purchase', 'triggered', undefined, 'ada', undefined, 2],
  ['event.purchase', 'triggered', undefined, 'ada', undefined, 3],
  ['event.purchase', 'triggered', undefined, '', undefined, 4],
  ['event.purchase', 'notTriggered', undefined, 'bob cyd dee eve fay gus', undefined, 2],
  ['event.purchase', 'triggeredWithin', 7, 'ada eve', 'days'],
  ['event.purchase', 'triggeredWithin', 7, '', 'days', 2],
  ['event.purchase', 'triggeredWithin', 8, 'ada', 'days', 2],
  ['event.purchase', 'triggeredWithin', 1_000_000_000, 'ada bob eve', 'days'],
  ['event.purchase', 'notTriggeredWithin', 7, 'bob cyd dee fay gus', 'days'],
  ['event.purchase', 'notTriggeredWithin', 8, 'bob cyd dee eve fay gus', 'days', 2],
  ['event.purchase', 'triggeredOlderThan', 7, 'bob', 'days'],
  ['event.purchase', 'triggeredOlderThan', 6, 'bob eve', 'days'],
  ['event.purchase', 'triggeredOlderThan', 60, 'bob eve', 'minutes'],
  ['event.purchase', 'triggeredOlderThan', 59, 'ada bob eve', 'minutes'],
  ['event.purchase', 'triggeredOlderThan', 59, 'ada', 'minutes', 3],
  ['event.PURCHASE', 'triggered', undefined, ''],
  ['event.purch', 'triggered', undefined, ''],
  ['event.odd \' % _ "name"', 'triggered', undefined, 'cyd'],
  ['event.email.open', 'triggered', undefined, 'ada bob'],
  ['email.open', 'triggered', undefined, 'ada bob'],
  ['email.open', 'triggered', undefined, 'bob', undefined, 2],
  ['email.open', 'triggeredWithin', 1, 'ada bob', 'days'],
  ['email.open', 'triggeredWithin', 1, 'ada', 'hours'],
  ['email.open', 'triggeredOlderThan', 12, 'bob', 'hours'],
  ['email.click', 'triggered', undefined, 'cyd'],
  ['email.click', 'notTriggered', undefined, 'ada bob dee eve fay gus'],
  ['email.bounce', 'triggered', undefined, ''],
  ['email.sent', 'notTriggeredWithin', 5, 'ada bob cyd dee eve fay gus', 'minutes'],
]

const pro = { field: 'data.plan', operator: 'equals', value: 'pro' }
const capitalPro = { field: 'data.plan', operator: 'equals', value: 'Pro' }
const free = { field: 'data.plan', operator: 'equals', value: 'free' }
const noPlan = { field: 'data.plan', operator: 'notExists' }
const subscribed = { field: 'subscribed', operator: 'equals', value: true }
const unsubscribed = { field: 'subscribed', operator: 'equals', value: false }

const JOINED: readonly Case[] = [
  {
    name: 'two that must both hold',
    filter: { operator: 'AND', conditions: [pro, subscribed] },
    matches: ['ada'],
  },
  {
    name: 'two that cannot both hold',
    filter: { operator: 'AND', conditions: [pro, free] },
    matches: [],
  },
  {
    name: 'either of two',
    filter: { operator: 'OR', conditions: [free, { field: 'age', operator: 'equals', value: 7 }] },
    matches: ['bob', 'cyd'],
  },
  {
    name: 'either of two within both of two',
    filter: { operator: 'AND', conditions: [subscribed, { operator: 'OR', conditions: [capitalPro, noPlan] }] },
    matches: ['cyd', 'dee'],
  },
  {
    name: 'both of two within either of two',
    filter: {
      operator: 'OR',
      conditions: [
        { operator: 'AND', conditions: [unsubscribed, { field: 'age', operator: 'exists' }] },
        { operator: 'AND', conditions: [{ field: 'createdAt', operator: 'olderThan', value: 100, unit: 'days' }] },
      ],
    },
    matches: ['bob', 'eve', 'fay', 'gus'],
  },
  {
    name: 'five levels',
    filter: nested(nested(nested(nested({ operator: 'AND', conditions: [pro] })))),
    matches: ['ada'],
  },
  {
    name: "one group of Plunk's form",
    filter: { logic: 'AND', groups: [{ filters: [pro] }] },
    matches: ['ada'],
  },
  {
    name: "two groups of Plunk's form",
    filter: { logic: 'OR', groups: [{ filters: [pro, subscribed] }, { filters: [free] }] },
    matches: ['ada', 'bob'],
  },
  {
    name: "a nested condition of Plunk's form",
    filter: {
      logic: 'AND',
      groups: [
        {
          filters: [subscribed],
          conditions: { logic: 'OR', groups: [{ filters: [capitalPro] }, { filters: [noPlan] }] },
        },
      ],
    },
    matches: ['cyd', 'dee'],
  },
]

function nested(filter: unknown) {
  return { operator: 'OR', conditions: [filter] }
}
