import { describe, expect, it } from 'vitest'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { JsonObject } from '../../core/values/json.ts'

const rendering = new Rendering()

function plain(source: string, variables: JsonObject = {}): string {
  return rendering.compileText(source).render(variables, { unsubscribeUrl: 'https://m.example/u/1' })
}

/** True when the HTML was converted once: a conversion per mail would close up the blanks in a value. */
function isConvertedOnce(source: string, variables: JsonObject = {}): boolean {
  return plain(`${source}<p>{{ gap }}</p>`, { ...variables, gap: 'a   b' }).endsWith('a   b')
}

const NEWSLETTER = `<!doctype html><html><head><title>T {{ x }}</title><style>p { color: red }</style></head><body>
<div style="display:none">Preheader for {{ name }}</div>
<table width="100%"><tr><td align="center"><table width="600"><tr><td><img src="logo.png" alt="Acme"></td></tr>
<tr><td><h1>Hello {{ name }}</h1><p>Thanks for your order <b>{{ order.id }}</b>.</p></td></tr>
<tr><td><table><tr><th>Item</th><th>Qty</th></tr>{% for item in items %}
  <tr><td>{{ item.name }}</td><td>{{ item.qty }}</td></tr>{% endfor %}
</table></td></tr>
<tr><td><a href="{{ url }}" class="button">View order</a> or <a href="{{ url }}">{{ url }}</a></td></tr>
{% if vip %}<tr><td><p>You are a VIP.</p></td></tr>{% else %}<tr><td><p>Become one.</p></td></tr>{% endif %}
<tr><td><ul><li>One</li><li>Two {{ two }}</li></ul></td></tr>
<tr><td>&copy; Acme &lt;3 &middot; <a href="{{ unsubscribeUrl }}">Unsubscribe</a></td></tr>
</table></td></tr></table></body></html>`

describe('the plain-text part', () => {
  it('reads well for the layout tables of e-mail', () => {
    const variables = {
      ...{ name: 'Ada & <Bob>', order: { id: 7 }, url: 'https://acme.example/o/7', two: 2, vip: false },
      items: [
        { name: 'Tea', qty: 2 },
        { name: 'Pot', qty: 1 },
      ],
    }
    expect(plain(NEWSLETTER, variables)).toBe(`Preheader for Ada & <Bob>

Hello Ada & <Bob>

Thanks for your order 7.

Item Qty
Tea 2
Pot 1
View order [https://acme.example/o/7] or https://acme.example/o/7

Become one.

 - One
 - Two 2

© Acme <3 · Unsubscribe [https://m.example/u/1]`)
    expect(isConvertedOnce(NEWSLETTER, variables)).toBe(true)
  })

  it('has no blank in the address of a link, where mail programs would end it', () => {
    const link =
      '<a href=" https://x.example/Äpfel &amp; Birnen/{{ name }}?q=a b">Go</a> <a href="tel:+49 30 1">Call</a>'
    expect(plain(link, { name: 'Zoë' })).toBe(
      'Go [https://x.example/Äpfel%20&%20Birnen/Zoë?q=a%20b] Call [tel:+49 30 1]',
    )
    expect(isConvertedOnce(link)).toBe(true)
  })

  it('is a template of texts and slots when the HTML is one', () => {
    const { slots } = rendering.compileText('<p>Hi {{ name ?? friend }},</p><a href="{{ unsubscribeUrl }}">Leave</a>')
    expect(slots?.texts).toEqual(['Hi ', ',\n\nLeave [', ']'])
    expect(slots?.values({}, { unsubscribeUrl: 'u' })).toEqual(['friend', 'u'])
  })

  it('is converted once although placeholders get lost or change places', () => {
    expect(isConvertedOnce('<img alt="{{ a }}"><a href="{{ b }}">{{ c }}</a><style>{{ d }}</style>')).toBe(true)
    expect(isConvertedOnce('<p>a</p> {%- if a -%} <p>b</p> {%- endif %}{% comment %}<p>no</p>{% endcomment %}')).toBe(
      true,
    )
  })

  it('is converted for every mail when it prints HTML, or when a tag would get lost or change places', () => {
    const sources: [string, string, JsonObject][] = [
      ['<p>{{ body | raw }}</p>', 'x\ny', { body: '<b>x</b><br>y' }],
      ['<p>{{ a | escape }}</p>', 'a&b', { a: 'a&b' }],
      ['<p {% if a %}class="x"{% endif %}>hi</p>', 'hi', {}],
      ['<a href="{% if a %}u{% else %}w{% endif %}">{% if a %}x{% endif %}y</a>', 'y [w]', {}],
      ['{% raw %}<b>{{ x }}</b>{% endraw %}', '{{ x }}', {}],
      ['<p>&#123;&#123; name }}</p>', '{{ name }}', { name: 'wrong' }],
      ['<p>{<b>{{ name }}</b>}</p>', '{Ada}', { name: 'Ada' }],
      ['<p>\uE0000\uE001{{ name }}</p>', '\uE0000\uE001Ada', { name: 'Ada' }],
    ]
    for (const [source, expected, variables] of sources) {
      expect(plain(source, variables)).toBe(expected)
      expect(isConvertedOnce(source, variables)).toBe(false)
    }
  })

  it('does not run what a value contains', () => {
    expect(plain('<p>{{ a }}</p>', { a: '{{ unsubscribeUrl }} <b>' })).toBe('{{ unsubscribeUrl }} <b>')
    expect(plain('<p>{{ a | raw }}</p>', { a: '&#123;{ unsubscribeUrl }}' })).toBe('{{ unsubscribeUrl }}')
  })

  it('refuses what the HTML template refuses', () => {
    expect(() => rendering.compileText('<p>{% if %}</p>', 'html')).toThrow(/^html: .*line 1, column 9/)
  })

  it('comes soon from HTML that is nested very deeply', () => {
    for (const tag of ['<div>', '<b>', '<ul><li>', '<table><tr><td>']) {
      expect(plain(`<p>first</p>${tag.repeat(100_000)}deep {{ a }}`, { a: 'end' })).toBe('first deep end')
    }
  })
})
