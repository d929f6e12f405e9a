import { describe, expect, it } from 'vitest'

// by its address: the dashboard has types of its own
const fromDashboard = (path: string) => import(new URL(`../../server/dashboard/${path}`, import.meta.url).href)
const { editable, shown, typed } = await fromDashboard('contacts/data-text.ts')
const { typedValue } = await fromDashboard('parts/filter/language.ts')

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
    expect(values).toEqual([2437.79, 12, '1,50', '12,5,1', ''])
  })
})
