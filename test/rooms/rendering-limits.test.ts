import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { JsonObject } from '../../core/values/json.ts'

const rendering = new Rendering()
const MB = 1024 * 1024

/** The message of the refusal, without the field; a hang is found by the time. */
function limit(source: string, variables: JsonObject = {}, mode: 'html' | 'text' = 'html'): string {
  const start = performance.now()
  try {
    rendering.compile(source, mode).render(variables, {})
  } catch (error) {
    if (!EngineError.is(error)) throw error
    expect(error.code).toBe('VALIDATION_ERROR')
    expect(performance.now() - start).toBeLessThan(5000)
    return error.fields[0]?.message ?? ''
  }
  throw new Error('it was rendered')
}

const TWICE = '{% for i in (1..60) %}'
const END = '{% endfor %}'

it('does not refuse a rendering because the machine is busy with something else', () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000))
  onTestFinished(() => clock.mockRestore())
  const text = rendering.compile('{% for i in (1..20) %}{{ a | upcase }}{% endfor %}', 'text').render({ a: 'x' }, {})
  expect(text).toBe('X'.repeat(20))
})

describe('a rendering ends with an error', () => {
  it('when a loop has no end in sight', () => {
    const hundred = (inner: string) => `{% for i in (1..100000) %}${inner}${END}`
    expect(limit('{% for i in (1..100000000) %}{% endfor %}')).toContain('more than 100000 numbers')
    expect(limit(hundred(hundred('')))).toBe('takes too long to render')
    expect(limit(hundred('x'.repeat(100)))).toMatch(/2 MB|too long/)
    expect(limit(`{% tablerow i in (1..100000) %}${'x'.repeat(100)}{% endtablerow %}`)).toMatch(/2 MB|too long/)
  })

  it('when a range is made of numbers too large to count with', () => {
    const far = '(100000000000000000..100000000000000010)'
    expect(limit(`{% for i in ${far} %}x{% endfor %}`)).toContain('more than 100000 numbers')
    expect(limit(`{% assign a = ${far} %}`)).toContain('more than 100000 numbers')
    expect(limit(`{% case a %}{% when ${far} %}{% endcase %}`)).toContain('more than 100000 numbers')
    expect(limit(`{{ l[${far}] }}`, { l: [] })).toContain('more than 100000 numbers')
    expect(limit(`{{ l | concat: ${far} }}`, { l: [] })).toContain('more than 100000 numbers')
    expect(limit(`{% liquid\nfor i in ${far}\nendfor %}`)).toContain('more than 100000 numbers')
    expect(limit('{% for i in (a..b) %}x{% endfor %}', { a: 1e17, b: 1e17 + 100 })).toContain(
      'more than 100000 numbers',
    )
    expect(rendering.compile(`{{ l | where: "[${far}]" }}`, 'text').render({ l: [1] }, {})).toBe('1')
  })

  it('when a text grows by doubling', () => {
    // on a busy machine the time may be up before the memory or the output is
    const some = /memory|renders to more than 2 MB|too long/
    expect(limit(`{% assign a = "x" %}${TWICE}{% assign a = a | append: a %}${END}`)).toMatch(some)
    for (const mode of ['html', 'text'] as const) {
      const start = `{% assign a = "x" %}${TWICE}`
      expect(limit(`${start}{% capture a %}{{ a }}{{ a }}{% endcapture %}${END}`, {}, mode)).toMatch(some)
      expect(limit(`${start}{% capture a %}{{ a | raw }}{{ a | raw }}{% endcapture %}${END}`, {}, mode)).toMatch(some)
    }
    const encoded = '{% assign a = a | url_encode | replace: "%", "%%" %}'
    expect(limit(`{% assign a = "%" %}${TWICE}${encoded}${END}`)).toMatch(some)
  })

  it('when a list holds itself many times over', () => {
    const grow = '{% assign b = "" | split: "" | push: a | push: a %}{% assign a = b %}'
    const start = '{% assign a = "x" | split: "," %}'
    for (const use of ['{{ a | json }}', '{% if a == b %}{% endif %}'])
      expect(limit(`${start}${TWICE}${grow}${END}${use}`)).toMatch(/memory|too long/)
    expect(limit(`${start}${TWICE}{% assign a = a | concat: a %}${END}`)).toMatch(/memory|too long/)
    const deep = '{% assign b = "" | split: "" | push: a %}{% assign a = b %}'
    expect(limit(`${start}{% for i in (1..200) %}${deep}${END}{{ a }}`)).toContain('nests lists deeper')
  })

  it('when a long expression works on a long list', () => {
    const list = Array.from({ length: 20_000 }, () => 'x')
    const many = (one: string, between: string) => Array.from({ length: 1900 }, () => one).join(between)
    const source = `{% assign b = a | concat: c %}{% if ${many('a == b', ' or ')} %}{% endif %}`
    expect(limit(source, { a: [...list, 'y'], c: [] })).toBe('takes too long to render')
  })

  it('when it is nested too deeply', () => {
    expect(limit('{% if true %}'.repeat(4900) + '{% endif %}'.repeat(4900))).toBe('is nested too deeply')
  })

  it('but not when it is large and has no placeholder: a mail may have 40 MB', () => {
    const source = 'x'.repeat(3 * MB)
    expect(rendering.compile(source, 'html').render({}, {})).toBe(source)
  })

  it('when it is too large or has too many placeholders', () => {
    expect(limit(`{{a}}${'x'.repeat(2 * MB)}`)).toContain('at most 2 MB')
    expect(limit('{{a}}'.repeat(10_001))).toContain('at most 10000 placeholders')
    expect(limit(`{% if a${' and a'.repeat(4_000)} %}{% endif %}`)).toContain(
      'at most 20000 characters in one placeholder',
    )
    expect(limit(`{{ a | append: "${'x'.repeat(20_000)}" }}`)).toContain('at most 20000 characters in one placeholder')
    expect(limit(`{{ a | append: "${'x'.repeat(19_000)}" }}`.repeat(14))).toContain(
      'at most 256 KB in all its placeholders',
    )
    expect(limit(`{% raw %}{{ ${'x'.repeat(30_000)} }}{% endraw %}{% if a %}{% endfor %}`)).toContain('endfor')
  })
})

describe('a subject', () => {
  it('comes to less than a body', () => {
    const subject = rendering.compileSubject('{{ a }}')
    expect(subject.render({ a: 'x'.repeat(10_240) }, {})).toHaveLength(10_240)
    for (const source of ['{{ a }}', '{{ a | append: "" }}']) {
      const act = () => rendering.compileSubject(source).render({ a: 'x'.repeat(10_241) }, {})
      expect(act).toThrow('subject: renders to more than 10 KB')
    }
  })
})

describe('the 2 MB of output', () => {
  it('are counted in bytes, through both ways', () => {
    for (const tail of ['', '{% if true %}{% endif %}']) {
      const source = `{{ a }}${tail}`
      expect(rendering.compile(source, 'text').render({ a: 'x'.repeat(2 * MB) }, {})).toHaveLength(2 * MB)
      expect(limit(source, { a: 'x'.repeat(2 * MB + 1) }, 'text')).toBe('renders to more than 2 MB')
      expect(limit(source, { a: 'é'.repeat(MB + 1) }, 'text')).toBe('renders to more than 2 MB')
      expect(limit(source, { a: '&'.repeat(MB / 2) })).toBe('renders to more than 2 MB')
    }
  })

  it('are found by validating as by a rendering', () => {
    const template = rendering.compile('{{ a }}{{ a }}{{ b ?? "x" }}', 'html')
    const tries: [JsonObject, boolean][] = [
      [{ a: 'x' }, true],
      [{ a: 'x'.repeat(MB - 1) }, true],
      [{ a: 'x'.repeat(MB) }, false],
      [{ a: '&'.repeat(MB / 4) }, false],
      [{ a: [['&'.repeat(MB / 4)]] }, false],
      [{ b: 'é'.repeat(MB + 1) }, false],
      [{ a: null, b: { c: 'é'.repeat(MB + 1) } }, false],
      [{ a: null, b: { c: 'é'.repeat(MB - 20) } }, true],
    ]
    for (const [variables, fits] of tries) {
      for (const act of [() => template.render(variables, {}), () => template.validate(variables, {})]) {
        if (fits) expect(act).not.toThrow()
        else expect(act).toThrow('renders to more than 2 MB')
      }
    }
  })
})
