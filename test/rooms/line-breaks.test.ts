import { describe, expect, it } from 'vitest'
import { withLineBreaks } from '../../core/mail/render/line-breaks.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'

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
