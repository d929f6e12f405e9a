import { describe, expect, it } from 'vitest'
import { BoundedLiquid } from '../../core/mail/render/bounded-liquid.ts'
import { FilterTroubles, warningOf } from '../../core/mail/render/filter-troubles.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { zoneNamed } from '../../core/values/zone-names.ts'

const rendering = new Rendering(10_000)
const DAY = '2026-12-01T17:00:00Z'

/** The rendered text, and what is warned of. */
function rendered(source: string, variables: JsonObject = {}, mode: 'html' | 'text' = 'text') {
  const troubles = new FilterTroubles()
  const text = rendering.compile(source, mode).render({ day: DAY, ...variables }, { troubles })
  return { text, warnings: troubles.all.map((each) => warningOf(each).message) }
}

describe('a filter that cannot do its work', () => {
  it.each([
    ['{{ day | date: "%H:%M", zone }}', { zone: 'Berlinn' }, '17:00', 'knows no time zone "Berlinn"'],
    ['{{ day | date: "%H:%M", zone }}', { zone: { a: 1 } }, '17:00', 'knows no time zone'],
    ['{{ v | date: "%Y" }}', { v: 'soon' }, 'soon', 'it is not a date'],
    ['{{ v | date: "%Y" }}', { v: true }, 'true', 'it is not a date'],
    ['{{ day | date: v }}', { v: '%9999999999d' }, DAY, 'a width of more than 999'],
    ['{{ day | date: v }}', { v: 'on %-01000e' }, DAY, 'a width of more than 999'],
    ['{{ v | date_to_rfc822 }}', { v: '2026-13-45' }, '2026-13-45', 'it is not a date'],
    ['{{ v | round: 2 }} EUR', { v: '12,50' }, '12,50 EUR', 'it is not a number'],
    ['{{ 5 | divided_by: v }}', { v: 0 }, '5', 'the result is not a number'],
    ['{{ 5 | modulo: v }}', { v: 0 }, '5', 'the result is not a number'],
    ['{{ v | times: v }}', { v: 1e308 }, '1e+308', 'the result is not a number'],
    ['{{ v | plus: 1 }}', { v: [1, 2] }, '1, 2', 'it is not a number'],
    ['{{ "a long text" | truncate: v }}', { v: 'few' }, 'a long text', 'an argument is not a number'],
    ['{{ "abc" | slice: v }}', { v: 'x' }, 'abc', 'an argument is not a number'],
    ['{{ v | url_decode }}', { v: '%E0%A4%A' }, '%E0%A4%A', 'URI malformed'],
    ['{{ v | url_encode }}', { v: '\ud800' }, '\ud800', 'URI malformed'],
    ['{{ v | base64_decode }}', { v: 'no base!' }, 'no base!', 'invalid base64'],
    ['{{ v | append }}', { v: 'a' }, 'a', 'append expect 2 arguments'],
    ['{{ list | where: v | size }}', { v: 'a["', list: [1, 2] }, '2', 'not closed'],
  ])('%s leaves the value as it is and warns', (source, values, text, warning) => {
    const found = rendered(source, values)
    expect(found).toEqual({ text, warnings: [expect.stringContaining(warning)] })
  })

  it('prints nothing that is unsafe in HTML', () => {
    for (const filter of ['url_decode', 'round', 'date: "%Y"', 'escape', 'xml_escape', 'base64_decode', 'slice: "x"'])
      expect(rendered(`<p>{{ v | ${filter} }}</p>`, { v: '<b>%E0' }, 'html').text).toBe('<p>&lt;b&gt;%E0</p>')
  })

  it('does not count a missing value, nor the same trouble twice', () => {
    expect(rendered('{{ nothing | date: "%Y" }}{{ nothing | plus: 1 }}{{ day | date: "%H", nothing }}')).toEqual({
      text: '117',
      warnings: [],
    })
    const source = '{% for i in (1..50) %}{{ "x" | round }}{% endfor %}{{ "y" | round }}'
    expect(rendered(source).warnings).toHaveLength(2)
    const many = Array.from({ length: 30 }, (_, i) => `text ${i}`)
    expect(rendered('{% for each in many %}{{ each | abs }}{% endfor %}', { many }).warnings).toHaveLength(20)
  })

  it('is none of the registered ones, whatever it is given', () => {
    const values: JsonObject = {
      ...{
        text: 'Berlin',
        percent: '%E0%A4%A',
        half: '\ud800',
        number: 12.5,
        zero: 0,
        big: 1e308,
        huge: '99999999999',
      },
      ...{ empty: '', nothing: null, yes: true, list: [1, 'a', null, [2]], object: { a: 1 }, none: [], path: 'a["' },
      ...{ objects: [{ a: 1 }, { a: null }, 'x', null], dots: 'a..b', markup: '<b>', order: '-9e99' },
    }
    const names = Object.keys(values)
    const filters = Object.keys(new BoundedLiquid('text', 10_000).filters).filter((name) => /^[a-z0-9_]+$/.test(name))
    expect(filters.length).toBeGreaterThan(60)
    const bad: string[] = []
    for (const filter of filters) {
      if (filter.startsWith('mailwright_')) continue
      const sources = names.flatMap((name) => [
        `{{ ${name} | ${filter} }}`,
        ...names.map((other) => `{{ ${name} | ${filter}: ${other} }}`),
        ...['text', 'huge', 'object'].map((other) => `{{ ${name} | ${filter}: ${other}, huge, text }}`),
      ])
      for (const source of sources) {
        const { text } = rendered(source, values)
        if (/NaN|Infinity|undefined|Invalid|\[object/.test(text)) bad.push(`${source} → ${text}`)
      }
    }
    expect(bad).toEqual([])
  }, 60_000)
})

describe('a time zone in data', () => {
  it.each([
    ['Europe/Berlin', '18:00'],
    ['berlin', '18:00'],
    [' Berlin ', '18:00'],
    ['New York', '12:00'],
    ['São Paulo', '14:00'],
    ['Kolkata', '22:30'],
    ['GMT+2', '19:00'],
    ['UTC+02:00', '19:00'],
    ['UTC\u22123', '14:00'],
    ['+0530', '22:30'],
    ['CET', '18:00'],
    ['UTC', '17:00'],
  ])('is understood as %j', (zone, time) => {
    expect(rendered('{{ day | date: "%H:%M", zone }}', { zone })).toEqual({ text: time, warnings: [] })
  })

  it.each([
    '',
    'Germany',
    'GMT+25',
    '+05:07',
    'Pacific',
    'West',
    'Victoria',
    'x'.repeat(65),
    '../etc',
    'a/b/c',
  ])('is not guessed from %j', (zone) => {
    expect(zoneNamed(zone)).toBeUndefined()
  })
})
