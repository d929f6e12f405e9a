import { describe, expect, it } from 'vitest'

// by its address: the dashboard has types of its own
const fromDashboard = (path: string) => import(new URL(`../../server/dashboard/${path}`, import.meta.url).href)
const { editable, shown, typed } = await fromDashboard('contacts/data-text.ts')
const { inWords, typedValue, withOperator } = await fromDashboard('parts/filter/language.ts')

const ENGLISH = { decimal: '.', plain: String }
const GERMAN = { decimal: ',', plain: (value: number) => String(value).replace('.', ',') }

describe('numbers among the data of contacts', () => {
  it('are shown with their digits, as the reader writes them', () => {
    expect([2437.79, 1987, -0.5, 1e21].map((value) => shown(value, GERMAN))).toEqual([
      '2437,79',
      '1987',
      '-0,5',
      '1e+21',
    ])
    expect(shown(2437.79, ENGLISH)).toBe('2437.79')
  })

  it('come back from a field as what they were, as everything else does', () => {
    const values = [
      2437.79,
      -3,
      0,
      true,
      null,
      'Ulm',
      '',
      '2437,79',
      '2437.79',
      '12',
      'true',
      '1,5 kg',
      [1.5],
      { a: 1 },
    ]
    for (const formats of [ENGLISH, GERMAN])
      expect(values.map((value) => typed(editable(value, formats), formats))).toEqual(values)
  })

  it('are numbers with either sign in German, and with the point alone in English', () => {
    expect(['2437,79', '2437.79', '7', '1,5 kg'].map((text) => typed(text, GERMAN))).toEqual([
      2437.79,
      2437.79,
      7,
      '1,5 kg',
    ])
    expect(['2437,79', '2437.79'].map((text) => typed(text, ENGLISH))).toEqual(['2437,79', 2437.79])
    const values = ['2437,79', '12', '1,50', '12,5,1', ''].map((text) => typedValue(text, GERMAN))
    // a postcode is a text, which numbers do not find
    expect(values).toEqual([2437.79, '12', '1,50', '12,5,1', ''])
    expect(['01067', '50', '3.5'].map((text) => typedValue(text, ENGLISH))).toEqual(['01067', '50', '3.5'])
  })

  it('of a span become none of a rule that asks something else', () => {
    const types = new Map([
      ['data.since', 'date'],
      ['data.zip', 'string'],
      ['data.visits', 'number'],
    ])
    const span = { field: 'data.since', operator: 'within', value: 30, unit: 'days' }
    const value = (field: string, operator: string, rule: object = span) =>
      withOperator(rule, field, operator, types).value
    expect(value('data.since', 'notEquals')).toBe('')
    expect(value('data.since', 'lessThan', { field: 'data.zip', operator: 'equals', value: 'pro' })).toBe('')
    expect(value('data.zip', 'equals')).toBe('')
    expect(value('data.zip', 'in')).toEqual([])
    expect(value('data.visits', 'greaterThan')).toBe(0)
    expect(value('data.zip', 'startsWith', { field: 'data.visits', operator: 'equals', value: 7 })).toBe('7')
    const day = { field: 'data.since', operator: 'lessThan', value: '2026-01-31' }
    expect(value('data.since', 'equals', day)).toBe('2026-01-31')
    const filter = { operator: 'AND', conditions: [{ ...day, operator: 'equals' }] }
    const texts = { filter: { operators: { equals: 'is' }, fields: { 'data.since': 'Since' } } }
    const formats = { plain: String, date: (text: string) => `day ${text}` }
    expect(inWords(filter, texts, new Map(), new Map(), formats)).toBe('Since is day 2026-01-31')
  })
})
