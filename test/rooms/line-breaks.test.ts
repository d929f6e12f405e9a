import { describe, expect, it } from 'vitest'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { withLineBreaks, writtenBody } from '../../core/mail/render/written-body.ts'
import type { JsonObject } from '../../core/values/json.ts'

const rendering = new Rendering()
const DATA = { name: 'Ada', items: ['a', 'b'], block: '<b>x</b>' }
const html = (body: string) => rendering.compile(withLineBreaks(body), 'html').render(DATA, {})
const text = (body: string) => rendering.compileText(withLineBreaks(body)).render(DATA, {})

describe('a body without HTML', () => {
  it('keeps its line breaks in the HTML and in the text', () => {
    const body = 'Hello {{ name }},\r\n\r\nyour order:\n{% for i in items %}- {{ i }}\n{% endfor %}Bye &amp; thanks\n'
    expect(html(body)).toBe('Hello Ada,<br>\n<br>\nyour order:<br>\n- a<br>\n- b<br>\nBye &amp; thanks\n')
    expect(text(body)).toBe('Hello Ada,\n\nyour order:\n- a\n- b\nBye & thanks')
  })

  it.each([
    ['is HTML', '<p>a</p>\n<p>b</p>'],
    ['closes what another opens', 'a\nb</td>'],
    ['prints HTML', '{{ block | raw }}\n{{ name }}'],
    ['is one line', 'a < b {{ name }}'],
    ['ends in a break only', 'a\n\n'],
    ['has breaks in placeholders only', '{{ name\n | upcase }}{% if\n name %}{% endif %}'],
  ])('stays as it is when it %s', (_what, body) => {
    expect(withLineBreaks(body)).toBe(body)
  })

  it('has no break where a placeholder takes the white space away', () => {
    expect(html('a\n{%- if name -%}\nb\n{%- endif %}\nc')).toBe('ab<br>\nc')
  })
})

describe('what an editor put into placeholders', () => {
  const values = { name: 'Ada', n: 4, größe: 'L', plan: 'A & B', b: '<b>' }
  const filled = (body: string, data: JsonObject = values) =>
    rendering.compile(writtenBody(body), 'html').render(data, {})

  it.each([
    ['{{ nope | default: &quot;you&quot; }} &amp; {{&nbsp;name&nbsp;}}', 'you &amp; Ada'],
    ['{% if n &gt; 3 and n &lt;= 4 %}<p>{{ name }}</p>{% endif %}', '<p>Ada</p>'],
    ['{% if plan == &quot;A &amp; B&quot; %}x{% endif %}{% if plan == "A &amp; B" %}y{% endif %}', 'xy'],
    ['{{ data.gr&ouml;&szlig;e }} {{ nope | default: “friend” }} {{ nope ?? &#39;f&#39; }}', 'L friend f'],
    ['{{ nope | default: &#x22;a&#x22; | append: ‘!’ }}', 'a!'],
    ['{{\u00a0name\u200b }}{{ name\ufeff}}', 'AdaAda'],
    ['{{ nope | default: "Tom &amp; Jerry" }}', 'Tom &amp; Jerry'],
    ['<a href="{{ nope | default: &quot;https://x.example/&quot; }}">', '<a href="https://x.example/">'],
  ])('is undone: %s', (body, expected) => {
    expect(filled(body)).toBe(expected)
  })

  it('stays where it is the author’s own, or text', () => {
    expect(filled('{{ b | replace: "<", "&lt;" | raw }}')).toBe('&lt;b>')
    expect(filled('{% assign x = "&lt;" %}{{ x | raw }} &lt; “{{ name }}” &nbsp;')).toBe('&lt; &lt; “Ada” &nbsp;')
    expect(filled('{{ d’où }}', { 'd’où': 'Paris' })).toBe('Paris')
    expect(writtenBody('{% raw %}{{ &quot; }}{% endraw %}')).toBe('{% raw %}{{ &quot; }}{% endraw %}')
  })
})
