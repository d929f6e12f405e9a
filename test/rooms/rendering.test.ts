import fc from 'fast-check'
import { Liquid } from 'liquidjs'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { escapeHtml } from '../../core/mail/render/printed.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { mentionedNames, scopeOf } from '../../core/mail/render/scope.ts'
import type { TemplateMode } from '../../core/mail/render/template.ts'
import type { JsonObject } from '../../core/values/json.ts'

const rendering = new Rendering()
const ada = { id: 'c1', email: 'ada@example.com', subscribed: true, unsubscribeUrl: 'https://m.example/u?a=1&b=2' }

function html(source: string, variables: JsonObject = {}): string {
  return rendering.compile(source, 'html').render(variables, ada)
}

function text(source: string, variables: JsonObject = {}): string {
  return rendering.compile(source, 'text').render(variables, ada)
}

function refusal(source: string, field?: string): EngineError {
  try {
    rendering.compile(source, 'html', field).render({}, ada)
  } catch (error) {
    if (EngineError.is(error)) return error
    throw error
  }
  throw new Error('it was rendered')
}

describe('placeholders', () => {
  it('are escaped in HTML unless raw, and never in text', () => {
    const variables = { name: `<b>"A" & 'B'</b>` }
    expect(html('{{ name }}', variables)).toBe('&lt;b&gt;&#34;A&#34; &amp; &#39;B&#39;&lt;/b&gt;')
    expect(html('{{ name | raw }}', variables)).toBe(variables.name)
    expect(text('{{ name }}', variables)).toBe(variables.name)
  })

  it('are escaped once when the author escapes too', () => {
    expect(html('{{ name | escape }} {{ name | escape_once }}', { name: 'a&b' })).toBe('a&amp;b a&amp;b')
  })

  it('see the contact, its data bare and under data, and the links; these win over the data', () => {
    const variables = { id: 'x', email: 'y', data: 'z', subscribed: 'no', name: 'Ada', nested: { deep: [1] } }
    expect(text('{{id}} {{email}} {{subscribed}} {{unsubscribeUrl}}', variables)).toBe(
      'c1 ada@example.com true https://m.example/u?a=1&b=2',
    )
    expect(text('{{name}} {{data.name}} {{data.id}} {{data.data}} {{data.nested.deep}}', variables)).toBe(
      'Ada Ada x z 1',
    )
    expect(text('{{ data["name"] }}{% if data.nested %}!{% endif %}', variables)).toBe('Ada!')
  })

  it('see the event and the context of a workflow', () => {
    const mailVariables = { ...ada, event: { plan: 'pro' }, context: { name: 'Context', id: 'no' } }
    const variables = { name: 'Data', event: 'shadowed' }
    for (const source of [
      '{{event.plan}} {{name}} {{data.name}} {{id}}',
      '{% if true %}{{event.plan}}{% endif %} {{name}} {{data.name}} {{id}}',
    ]) {
      expect(rendering.compile(source, 'text').render(variables, mailVariables)).toBe('pro Context Data c1')
    }
    expect(text('{{event}} {{name}}', variables)).toBe('shadowed Data')
  })

  it('print nothing for what is missing', () => {
    const names = ['a', 'a.b.c', 'size', 'first', 'data.nope', 'event.x', 'a[0]', 'manageUrl']
    for (const name of names) expect(text(`[{{ ${name} }}]`)).toBe('[]')
    expect(rendering.compile('[{{subscribed}}]', 'text').render({ subscribed: 'data' }, {})).toBe('[]')
  })

  it('see own properties only', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'o.constructor',
      'o.__proto__.x',
      'o.hasOwnProperty',
      's.constructor',
    ]
    for (const name of names) {
      expect(text(`[{{ ${name} }}]`, { o: {}, s: 'x' })).toBe('[]')
      expect(text(`[{% if true %}{{ ${name} }}{% endif %}]`, { o: {}, s: 'x' })).toBe('[]')
    }
    const own = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}') as JsonObject
    expect(text('{{ __proto__ }}{{ constructor }}{{ toString }}{{ data.__proto__ }}', own)).toBe('abca')
    expect(text('{% if true %}{{ __proto__ }}{{ constructor }}{% endif %}', own)).toBe('ab')
    expect(text('{{ o }}', { o: own })).toBe(JSON.stringify(own))
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  it('print lists with commas and objects as JSON, also through filters', () => {
    const variables = { o: { a: [1, 'x'] }, l: ['a', 2, null], n: [[1], { b: 2 }], e: [] }
    expect(text('{{ o }}|{{ l }}|{{ n }}|{{ e }}', variables)).toBe('{"a":[1,"x"]}|a, 2, |[[1],{"b":2}]|')
    expect(html('{% if l %}{{ o }}{% endif %}', variables)).toBe('{&#34;a&#34;:[1,&#34;x&#34;]}')
    expect(text('{{ o | upcase }}|{{ l | append: o }}|{{ n | join: "; " }}', variables)).toBe(
      '{"A":[1,"X"]}|a, 2, {"a":[1,"x"]}|1; {"b":2}',
    )
    expect(text('{{ o.a | first }}{{ l | size }}{% for i in l %}{{ i }}{% endfor %}', variables)).toBe('13a2')
  })

  it('find a key by its name, whatever signs it has, bare and under data', () => {
    const keys = [
      'First Name',
      'e-mail',
      'größe',
      'a.b',
      'Größe (cm)',
      '2fa',
      'Mr. Name',
      'No.',
      'a/b',
      'price €',
      'x:y',
    ]
    for (const key of keys) {
      const variables = { [key]: '<v>', a: { b: 'path', c: 'C' }, First: 'no', data: 'no' }
      const names = [key, `data.${key}`, `data["${key}"]`, `["${key}"]`, ` data.${key} `]
      for (const name of names) {
        expect(text(`{{ ${name} }}`, variables), name).toBe('<v>')
        expect(html(`{{ ${name} }}{{ ${name} | raw }}`, variables), name).toBe('&lt;v&gt;<v>')
        expect(text(`{{ ${name} | upcase }}{{ ${name} ?? x }}{{ ${name} | default: "d" }}`, variables), name).toBe(
          '<V><v><v>',
        )
        expect(rendering.compile(`{{ ${name} }}`, 'html').slots?.keys?.has(key), name).toBe(true)
      }
      expect(text(`{{ nope ${key} }}{{ data.nope ${key} ?? none }}`, variables)).toBe('none')
      expect(text(`{% if data["${key}"] == "<v>" %}y{% endif %}`, variables), key).toBe('y')
    }
    const variables = { 'First Name': 'Ada', 'a.b': 'key', a: { b: 'path', 'x y': 'deep' }, plan: { 'My Tier': 'pro' } }
    expect(
      text(
        '{% if data.First Name == "Ada" and data.a.b == "key" %}{% assign n = data.First Name | upcase %}{{ n }}{% endif %}',
        variables,
      ),
    ).toBe('ADA')
    expect(
      text('{{ a.b }} {{ data.a.b }} {{ data.a["b"] }} {{ data.a.x y }} {% echo data.plan.My Tier %}', variables),
    ).toBe('key key key deep pro')
    expect(text('{% for a in list %}{{ a.b }}{% endfor %}', { ...variables, list: [{ b: 'item' }] })).toBe('item')
  })

  it('keep expressions that are no names', () => {
    const variables = { a: true, b: false, n: 3, 'a and b': 'key' }
    expect(text('{{ a and b }} {{ 5 }} {{ 1.5 }} {{ "x" }} {{ n == 3 }} {{ true }}', variables)).toBe(
      'false 5 1.5 x true true',
    )
  })

  it('fall back with ?? for missing and null, not for empty', () => {
    const variables = { e: '', z: null, f: false, n: 0, name: 'Ada' }
    expect(
      text(
        '{{name ?? Subscriber}}|{{x ?? Subscriber}}|{{z??"quoted"}}|{{ e ?? no }}|{{ f ?? no }}|{{ n ?? no }}',
        variables,
      ),
    ).toBe('Ada|Subscriber|quoted||false|0')
    expect(
      text(`{{ x ?? it's you }}|{{ x ?? 42 }}|{{ x ?? 'a "b"' }}|{{ x ?? "a" b }}|{{ x.y.z ?? }}|{{ x ?? a?b }}`),
    ).toBe(`it's you|42|a "b"|"a" b||a?b`)
    expect(html('{{ x ?? <you> }}{{ x ?? "<b>" | raw }}')).toBe('&lt;you&gt;<b>')
    expect(text('{{ x ?? "say \\"hi\\"" }}')).toBe('say "hi"')
  })

  it('combine ?? with filters and white space control', () => {
    expect(text('{{ x ?? "ada" | upcase }} {{ x ?? you | append: "}}" | capitalize }}')).toBe('ADA You}}')
    expect(text('a {{- x ?? b -}} c {{ x ?? d-}} e')).toBe('abc de')
    expect(text('{% for i in l %}{{ i.n ?? none }},{% endfor %}', { l: [{ n: 1 }, {}] })).toBe('1,none,')
  })

  it('leave raw blocks and comments as they are', () => {
    expect(text('{% raw %}{{ a ?? b }}{% if x ?? y %}{% endraw %}{{ a ?? c }}')).toBe('{{ a ?? b }}{% if x ?? y %}c')
    expect(text('a{% comment %}{{ a ?? b }}{% if x ?? y %}{% endcomment %}b')).toBe('ab')
    expect(text('{% if s contains "??" %}yes{% endif %}', { s: 'what??' })).toBe('yes')
  })

  it('know the tags of Liquid', () => {
    const source = `{% assign n = 2 %}{% capture c %}<{{ n }}>{% endcapture %}{% case n %}{% when 1 %}one{% when 2 %}two{% endcase %}
{%- unless no %} {{ c | raw }}{% endunless %}{% for i in (1..n) %}{{ i }}{% unless forloop.last %},{% endunless %}{% endfor %}
{%- increment k %}{% increment k %}{% cycle "<", "b" %}{% liquid
echo n %}`
    expect(html(source)).toBe('two <2>1,201&lt;2')
  })

  it('do not change what they are given', () => {
    const variables = Object.freeze({ l: Object.freeze([3, 1, 2]) as readonly number[], k: 5 })
    expect(text('{{ l | sort | join }}{% increment k %}{% assign l = 1 %}{{ l }}', variables)).toBe('1 2 351')
    expect(variables).toEqual({ l: [3, 1, 2], k: 5 })
  })
})

const RENDER = "write {% render 'name' %}, with values as in {% render 'name', title: firstName %}"

describe('a template', () => {
  it.each([
    ['a\n  {% if x %}', 'tag {% if x %} not closed', 2, 3],
    ['{{ a ?? "b" }} {{ c ?? "d" }}\n{{ e ?? "f" }} {% nope %}', 'tag "nope" not found', 2, 16],
    ['{{ name | upcse }}', 'undefined filter: upcse', 1, 1],
    ['x {{ name', 'output "{{ name" not closed', 1, 3],
    ['{% include "a" %}', `include reads files, and a mail has none; for a snippet ${RENDER}`, 1, 1],
    ['{% render a %}', `render needs the name of a snippet in quotes: ${RENDER}`, 1, 1],
    ['{% layout "a" %}', 'tag "layout" not found', 1, 1],
    ['{% block a %}{% endblock %}', 'tag "block" not found', 1, 1],
    ['\n{{ ?? x }}', '?? needs a key before it', 2, 1],
    ['{{ a | upcase ?? x }}', '?? must stand before the first filter', 1, 1],
    ['{% if a ?? b %}{% endif %}', '?? works in {{ … }} only; use the default filter in a tag', 1, 1],
    ['{{ l | where_exp: "a", "b" }}', 'undefined filter: where_exp', 1, 1],
  ])('%j is refused with its place', (source, message, line, column) => {
    const problem = { field: 'subject', code: 'custom', message: `${message} (line ${line}, column ${column})` }
    expect(refusal(source, 'subject')).toMatchObject({ code: 'VALIDATION_ERROR', fields: [problem] })
  })

  it('is compiled once', () => {
    const own = new Rendering()
    expect(own.compile('{{ a }}', 'html')).toBe(own.compile('{{ a }}', 'html'))
    expect(own.compile('{{ a }}', 'html')).not.toBe(own.compile('{{ a }}', 'text'))
    expect(own.compileText('{{ a }}')).toBe(own.compileText('{{ a }}'))
    const first = own.compile('first', 'text')
    for (let i = 0; i < 1000; i++) own.compile(`template ${i}`, 'text')
    expect(own.compile('first', 'text')).not.toBe(first)
  })

  it('of plain placeholders is texts and slots', () => {
    const { slots } = rendering.compile('a {{ b }}{{ c.d ?? "x" }} e {{ f | default: "y" }}{{ g | raw }}', 'html')
    expect(slots?.texts).toEqual(['a ', '', ' e ', '', ''])
    expect(slots?.values({ b: '<', c: { d: null }, g: '<' }, {})).toEqual(['&lt;', 'x', 'y', '<'])
    for (const source of [
      '{{ a | upcase }}',
      '{{- a }}',
      '{{ a.size }}',
      '{{ nil }}',
      '{{ a[0] }}',
      '{% assign a = 1 %}',
    ])
      expect(rendering.compile(source, 'html').slots).toBeUndefined()
  })
})

const names = [
  'a',
  'b',
  'name',
  'data',
  'id',
  'email',
  'event',
  'größe',
  'constructor',
  '__proto__',
  'x-1',
  'nullable',
  'and_',
  '_u',
]
const inner = ['a', 'b', 'length', '0', '1', 'size', 'first', 'last', 'constructor', '__proto__', 'data']
const path = fc
  .tuple(fc.constantFrom(...names), fc.array(fc.constantFrom(...inner), { maxLength: 3 }))
  .map(([root, keys]) => [root, ...keys].join('.'))
const blank = fc.constantFrom('', ' ', '\n ')
const literal = fc.constantFrom('"x"', "'<y>'", '""', '"}}"', "'a | b'")
const placeholder = fc
  .tuple(path, blank, fc.option(fc.tuple(fc.constantFrom('default', 'fallback'), literal)), fc.boolean(), blank)
  .map(([key, before, otherwise, raw, after]) => {
    const filter = otherwise === null ? '' : `| ${otherwise[0]}: ${otherwise[1]}`
    return `{{${before}${key} ${filter}${after}${raw ? '| raw' : ''}${after}}}`
  })
const piece = fc.oneof(placeholder, fc.constantFrom('text', '<p>', ' { } ', '\n', '}}', '"', "'", '{', 'ü'))
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
    fc.constantFrom(null, '', '<a href="x">', -0, 1e21, 1e-7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'length', '0', 'constructor', '__proto__', 'data'), tie('value')), {
        maxLength: 3,
      })
      .map(document),
  ),
})).value
const data = fc.array(fc.tuple(fc.constantFrom(...names), json), { maxLength: 8 }).map(document)

describe('plain placeholders', () => {
  const engines: Record<TemplateMode, Liquid> = {
    html: new Liquid({ outputEscape: (value) => escapeHtml(shown(value)), ownPropertyOnly: true }),
    text: new Liquid({ outputEscape: shown, ownPropertyOnly: true }),
  }
  for (const engine of Object.values(engines)) {
    engine.registerFilter('fallback', (value, other) => value ?? other)
    engine.registerFilter('raw', { raw: true, handler: shown })
  }

  it('print what liquidjs prints, with the same source through every way', () => {
    let filled = 0
    const mode = fc.constantFrom<TemplateMode>('html', 'text')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), data, mode, (pieces, variables, mode) => {
        const source = pieces.join('').replaceAll('{%', '').replaceAll('{{{', '{{')
        const mailVariables = { id: 'c1', email: '<ada@example.com>', subscribed: false }
        const expected = liquidjs(engines[mode], source, scopeOf(variables, mailVariables, mentionedNames(source)))
        // a placeholder within quotes may print its own source, which the two forms spell differently
        if (expected === undefined || expected.includes('fallback:')) return
        const plunk = source.replace(/\| fallback: /g, '?? ')
        for (const form of [source, plunk, `{% if true %}{% endif %}${plunk}`]) {
          const template = rendering.compile(form, mode)
          if (template.slots) filled++
          expect(template.render(variables, mailVariables)).toBe(expected)
        }
      }),
      { numRuns: 1000 },
    )
    expect(filled).toBeGreaterThan(500)
  })
})

/** Unlike Liquid, which prints `[object Object]` and lists in one word. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)
  return isFlat ? value.map((item) => item ?? '').join(', ') : JSON.stringify(value)
}

/** The reference; undefined for a source that is no template. */
function liquidjs(engine: Liquid, source: string, scope: object): string | undefined {
  try {
    return String(engine.parseAndRenderSync(source, scope))
  } catch {
    return undefined
  }
}

/** A JSON object as a parser makes it: every key is an own property. */
function document(entries: readonly (readonly [string, unknown])[]): JsonObject {
  const fields = new Map(entries.map(([key, value]) => [key, JSON.stringify(value)]))
  return JSON.parse(`{${[...fields].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`)
}
