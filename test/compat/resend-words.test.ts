import { expect, it } from 'vitest'
import { toOurs, toTheirs, variablesOf } from '../../core/values/resend-placeholders.ts'
import { when } from '../../server/compat/resend/when.ts'

/** A Friday. */
const NOW = new Date('2026-05-01T12:30:00.000Z')

it.each([
  ['now', '2026-05-01T12:30:00.000Z'],
  ['in 1 min', '2026-05-01T12:31:00.000Z'],
  ['In  an hour', '2026-05-01T13:30:00.000Z'],
  ['in 90s', '2026-05-01T12:31:30.000Z'],
  ['in 2 weeks', '2026-05-15T12:30:00.000Z'],
  ['tomorrow', '2026-05-02T09:00:00.000Z'],
  ['tomorrow at 12am', '2026-05-02T00:00:00.000Z'],
  ['today at 6:05 pm UTC', '2026-05-01T18:05:00.000Z'],
  ['friday at 15:00', '2026-05-08T15:00:00.000Z'],
  ['next monday', '2026-05-04T09:00:00.000Z'],
  ['2026-05-02', '2026-05-02T00:00:00.000Z'],
  ['2026-05-02 10:00', '2026-05-02T10:00:00.000Z'],
  ['2026-05-02 10:00:00.678123+02', '2026-05-02T08:00:00.678Z'],
])('reads the time %s', (text, expected) => {
  expect(when(text, NOW)).toBe(expected)
})

it.each([
  '',
  '2030',
  'soon',
  'in two days',
  'in 9999999 days',
  'monday at 25:00',
  'today at 13pm',
  '2026-13-01',
  '2027-02-31',
  '2027-02-29T10:00:00Z',
  '1 2',
])('refuses the time %j', (text) => {
  expect(() => when(text, NOW)).toThrow('scheduled_at')
})

it.each([
  ['{{{NAME}}} {{{ NAME|x "y" }}}', '{{ NAME }} {{ NAME | default: "x \'y\'" }}'],
  ['{{{FIRST_NAME|there}}} {{{RESEND_UNSUBSCRIBE_URL}}}', '{{ firstName | default: "there" }} {{ unsubscribeUrl }}'],
  ['{{{constructor}}} {{{toString|x}}}', '{{ constructor }} {{ toString | default: "x" }}'],
  ['{{{contact.company}}} {{ own }} {{{a b}}}', '{{ company }} {{ own }} {{{a b}}}'],
])('translates %s', (theirs, ours) => {
  expect(toOurs(theirs)).toBe(ours)
  expect(toOurs(toTheirs(ours))).toBe(ours)
})

it('finds the variables of texts, but for what contacts have', () => {
  const text = toOurs('{{{A}}} {{{B|2}}} {{{C}}} {{{EMAIL}}}', [{ key: 'C', fallback: 3 }])
  expect(variablesOf(text)).toEqual([{ key: 'A' }, { key: 'B', fallback: '2' }, { key: 'C', fallback: '3' }])
})
