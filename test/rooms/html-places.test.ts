import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { TrackedHtml } from '../../core/mail/html/tracked-html.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { JsonObject } from '../../core/values/json.ts'

const rendering = new Rendering(10_000)
/** A text that would break out of each place. */
const BAD = 'x onclick=alert(1) `y` "z" \'w\' <img src=q> --> } ; @import \\ / </style></script>'

/** Both ways through which a template is filled in. */
function filled(source: string, data: JsonObject): readonly string[] {
  return [source, `${source}{% if true %}{% endif %}`].map((each) => rendering.compile(each, 'html').render(data, {}))
}

/** Every tag of the HTML with its attributes. */
function tagsOf(html: string): readonly (readonly [name: string, attributes: Readonly<Record<string, string>>])[] {
  const tags: [string, Record<string, string>][] = []
  const parser = new Parser(
    { onopentag: (name, attributes) => tags.push([name, attributes]) },
    { decodeEntities: true },
  )
  parser.end(html)
  return tags
}

describe('a value in HTML', () => {
  it.each([
    ['<a href={{ v }}>t</a>', 'href'],
    ['<a href={{ v | raw }}>t</a>', 'href'],
    ['<a href={{ v | escape }}>t</a>', 'href'],
    ['<a href= {{ v ?? x }} >t</a>', 'href'],
    ['<td width={{ v }}% class="a">t</td>', 'width'],
    ['<a href=https://x.example/{{ v }}>t</a>', 'href'],
    ['<a {% if true %}title={{ v }}{% endif %}>t</a>', 'title'],
    ['<a title={% echo v %}>t</a>', 'title'],
    ['<a title="{{ v }}">t</a>', 'title'],
    ["<a title='{{ v }}' class={{ v }}>t</a>", 'title'],
  ])('never adds an attribute to %s', (source, attribute) => {
    const names = [...source.matchAll(/\b(href|class|width|title)=/g)].map(([, name]) => name)
    for (const html of filled(source, { v: BAD })) {
      const tags = tagsOf(html)
      expect(tags.map(([, attributes]) => Object.keys(attributes))).toEqual([names])
      expect(tags[0]?.[1][attribute]).toContain(BAD)
    }
    for (const html of filled(source, { v: 'plain/1' })) expect(html).toContain('plain/1')
  })

  it('never adds one to a tracked link without quotes', () => {
    for (const tag of ['', '{% if true %}{% endif %}']) {
      const tracked = TrackedHtml.compile(
        rendering,
        `<a href={{ v }}>a</a><a href=http://x.example/{{ v }}>b</a>${tag}`,
        1e6,
      )
      const urls = { click: 'https://m.example/c', pixel: 'p', language: '', reason: '', unsubscribe: '' }
      const values = (data: JsonObject) => {
        const injected = {
          ...urls,
          link: (n: number): string => tracked.link(n, urls.click, data, {}),
          linkInPlace: (n: number, o: number, a: string) => tracked.linkInPlace(n, o, a, urls.click, {}),
        }
        return tagsOf(tracked.template.render(data, { injected }))
      }
      expect(
        values({ v: BAD })
          .slice(0, 2)
          .map(([, attributes]) => Object.keys(attributes)),
      ).toEqual([['href'], ['href']])
      expect(
        values({ v: 'https://y.example/?a=b' })
          .slice(0, 2)
          .map(([, { href }]) => href),
      ).toEqual(['https://m.example/c/0', 'https://m.example/c/1'])
    }
  })

  it.each([
    ['<{{ v }}>t', 1],
    ['<h{{ v }}>t</h{{ v }}>', 1],
    ['<p {{ v }}>t</p>', 1],
    ['<p {{ v }}="1">t</p>', 1],
    ['<!-- {{ v }} --><p>t</p>', 1],
    ['<!--[if mso]><a href={{ v }}><![endif]--><p>t</p>', 1],
    ['<title>{{ v }}</title><p>t</p>', 2],
    ['<style>a{color:{{ v }}}</style><p>t</p>', 2],
    ['<script>f("{{ v }}")</script><p>t</p>', 2],
    ['<constructor>{{ v }}</constructor>', 1],
    ['<p onclick="f(\'{{ v }}\')">t</p>', 1],
  ])('stays in its place in %s', (source, count) => {
    for (const html of filled(source, { v: BAD })) {
      const tags = tagsOf(html)
      expect(tags).toHaveLength(count)
      for (const [, attributes] of tags) {
        if (!source.includes('onclick')) expect(attributes).not.toHaveProperty('onclick')
        expect(attributes).not.toHaveProperty('src')
      }
    }
  })

  it('is data in a script, and one value in a style sheet', () => {
    const v = 'a"b\\c\'</script>\n& d'
    for (const html of filled('<script type="application/ld+json">{"name":"{{ v }}"}</script>', { v })) {
      expect(JSON.parse(/>(.*)<\/script>/s.exec(html)?.[1] ?? '')).toEqual({ name: v })
    }
    for (const html of filled('<style>a{color:{{ v }}}</style>', { v: 'red}b{background:url(x);' }))
      expect(html).toBe('<style>a{color:red b background:url(x) }</style>')
    for (const html of filled('<style>a{color:{{ v }}}</style>', { v: '#ff0000' }))
      expect(html).toContain('a{color:#ff0000}')
  })

  it.each([
    ['javascript:alert(1)', '#'],
    [' JaVa\tScript:alert(1)', '#'],
    ['data:text/html,x', '#'],
    ['vbscript:x', '#'],
    ['https://x.example/?a=javascript:', 'https://x.example/?a=javascript:'],
    ['data:image/png;base64,AA', 'data:image/png;base64,AA'],
    ['mailto:a@x.example', 'mailto:a@x.example'],
  ])('as the address %j leads to %s', (v, expected) => {
    for (const source of ['<a href="{{ v }}">', '<a href={{ v }}>', '<img src="{% if true %}{{ v }}{% endif %}">'])
      for (const html of filled(source, { v })) expect(Object.values(tagsOf(html)[0]?.[1] ?? {})).toEqual([expected])
    for (const html of filled('<p title="{{ v }}">', { v })) expect(tagsOf(html)[0]?.[1]).toEqual({ title: v })
  })
})
