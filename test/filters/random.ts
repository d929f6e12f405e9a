import fc from 'fast-check'
import type { Audience, CampaignDeed, Comparison, Part, Span, ValueTest } from '../../core/ports/store/audiences.ts'
import { isStorableText, type Json, type JsonObject } from '../../core/values/json.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import { NOON } from '../contracts/store/records.ts'

/**
 * Keys and texts are drawn from few, so that what is asked for is often there. No key is a backslash alone: once one
 * was, `JSON.parse` of Node 24.21 reads every other key of one escaped character as it, "\n" too.
 */
const KEYS = [
  'a',
  'b',
  '',
  'a.b',
  '"',
  "'",
  'a\\',
  '$',
  '0',
  '1',
  '-1',
  '00',
  '[0]',
  '?',
  '__proto__',
  'toString',
  'é',
  '🙂',
  '\u0001',
]
const TEXTS = ['', 'a', 'ab', 'B', '1', '1.0', 'true', 'null', '["a"]', '{}', '%', '_', '\\', '"', 'é', '\uFF5E', '🙂']
const DATES = [
  '2025-06-01',
  '2025-06-01T12:00Z',
  '2025-06-01t12:00:00.123z',
  '2025-06-01 14:00:00,123456789+02:00',
  '2025-06-01T12:00:00-0030',
  '2025-06-01T12:00:00+05',
  '2025-06-01T12:00',
  '1748779200',
  '1748779200000',
  '174877920000',
]

/** Days of the year, as far as those of dates go. */
const DAYS = ['01-01', '02-28', '02-29', '05-31', '06-01', '06-02', '12-31']

const text = fc.oneof(
  fc.constantFrom(...TEXTS, ...DATES),
  fc.string({ unit: 'binary', maxLength: 4 }).filter(isStorableText),
)

/** Dates, texts that are almost one, and others. */
export const dateText = fc.oneof(
  fc.constantFrom(...DATES),
  fc
    .tuple(
      fc.constantFrom('0000', '0001', '1900', '2000', '2025', '9999'),
      ...[13, 32, 25, 61, 61].map((max) => fc.oneof(fc.integer({ min: 0, max }), fc.constantFrom(0, max - 1, max))),
    )
    .map(([year, ...rest]) => {
      const [month, day, hour, minute, second] = rest.map((part) => two(Number(part)))
      return `${year}-${month}-${day}T${hour}:${minute}:${second}.120Z`
    }),
  fc
    .record({
      year: fc.constantFrom(
        '0000',
        '0001',
        '0004',
        '0100',
        '0400',
        '1600',
        '1900',
        '1970',
        '2000',
        '2024',
        '2025',
        '9999',
      ),
      month: fc.integer({ min: 0, max: 13 }),
      day: fc.integer({ min: 0, max: 32 }),
      time: fc.constantFrom('', 'T', ' ', 't', 'T0', 'T12', 'T12:', 'T12:3', 'T12:34', ' 23:59', 'T24:00', 'T12:60'),
      second: fc.constantFrom('', ':', ':00', ':59', ':60', ':07.1', ':07.', ':07,12', ':07.1239', ':07.1234567890'),
      zone: fc.constantFrom('', 'Z', 'z', ' Z', '+02', '-02:30', '+0530', '+24:00', '+23:59', '-00:60', '+1', '\n'),
    })
    .map(({ year, month, day, time, second, zone }) => `${year}-${two(month)}-${two(day)}${time}${second}${zone}`),
)

const number = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(
    0.1,
    0.30000000000000004,
    2 ** 53,
    2 ** 60,
    1e9,
    1748779200,
    1748779199.999,
    1e10,
    1748779200000,
    1748779200000.5,
    1e13,
    2 ** 63,
    1e21,
    1e-7,
    5e-324,
    Number.MAX_VALUE,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const scalar: fc.Arbitrary<string | number | boolean> = fc.oneof(text, dateText, number, fc.boolean())

const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
)

/** Data of a contact. */
export const data: fc.Arbitrary<JsonObject> = object(
  fc.oneof(
    { weight: 3, arbitrary: value },
    object(value),
    list(list(value)),
    list(object(value)),
    object(list(object(value))),
  ),
)

const span: fc.Arbitrary<Span> = fc
  .record({ from: moment(), before: moment() }, { requiredKeys: [] })
  .map(({ from, before }) => ({ ...(from && { from }), ...(before && { before }) }))

const comparison = fc.constantFrom<Comparison>('greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual')
const part: fc.Arbitrary<Part> = fc.record({
  is: fc.constant('text'),
  how: fc.constantFrom('contains', 'startsWith', 'endsWith'),
  text,
})

const test: fc.Arbitrary<ValueTest> = fc.oneof(
  fc.constantFrom<ValueTest>({ is: 'present' }, { is: 'filled' }),
  fc
    .tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS))
    .map(([first, last]) => ({ is: 'yearly', first, last }) as const),
  fc.array(scalar, { maxLength: 3 }).map((values) => ({ is: 'oneOf', values }) as const),
  part,
  fc.record({ is: fc.constant('text' as const), how: comparison, text }),
  fc.record({ is: fc.constant('number' as const), how: comparison, number }),
  span.map((bounds) => ({ is: 'moment', ...bounds }) as const),
)

/** The tracking that a contact allows. */
export const consent = fc.constantFrom(...TRACKING_CONSENTS)

/** Names of campaigns. */
export const CAMPAIGNS = ['spring', 'autumn'] as const

const leaf: fc.Arbitrary<Audience> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('data' as const),
      path: fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 4 }),
      test,
    }),
  },
  { weight: 1, arbitrary: part.map((asked) => ({ kind: 'text', field: 'email', ...asked }) as const) },
  { weight: 1, arbitrary: fc.boolean().map((is) => ({ kind: 'flag', field: 'subscribed', is }) as const) },
  { weight: 1, arbitrary: consent.map((is) => ({ kind: 'choice', field: 'tracking', is }) as const) },
  { weight: 1, arbitrary: span.map((bounds) => ({ kind: 'moment', field: 'createdAt', ...bounds }) as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x', 'y'), fc.integer({ min: 1, max: 3 }), span)
      .map(([name, count, bounds]) => ({ kind: 'event', name, count, ...bounds }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('campaign' as const),
      campaignId: fc.constantFrom(...CAMPAIGNS),
      did: fc.constantFrom<CampaignDeed>(
        ...(['receive', 'open', 'click', 'humanOpen', 'humanClick', 'bounce', 'fail', 'mail'] as const),
      ),
    }),
  },
)

/** Any audience, but for members of segments. */
export const audience: fc.Arbitrary<Audience> = fc.letrec<{ node: Audience }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 3 }).map((of) => ({ kind: 'all', of }) as const) },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 3 }).map((of) => ({ kind: 'any', of }) as const) },
    { weight: 1, arbitrary: tie('node').map((of) => ({ kind: 'not', of }) as const) },
  ),
})).node

/** A moment near NOON. */
export function moment(): fc.Arbitrary<Date> {
  return fc.constantFrom(-86_400_000, -1, 0, 1, 60_000, 86_400_000).map((by) => new Date(NOON.getTime() + by))
}

function object(values: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(fc.constantFrom(...KEYS), values), { maxLength: 8 }).map((entries) => {
    return Object.fromEntries(entries)
  })
}

/** Of values of this kind, and of some others. */
function list(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.array(fc.oneof({ weight: 3, arbitrary: values }, value), { maxLength: 3 })
}

function two(count: number): string {
  return String(count).padStart(2, '0')
}
