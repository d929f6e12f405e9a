import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkTarget } from '../../core/mail/html/link-target.ts'
import { type DynamicLinks, type TrackedSource, trackHtml } from '../../core/mail/html/track-html.ts'
import { TrackedHtml } from '../../core/mail/html/tracked-html.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { InjectedParts, MailVariables } from '../../core/mail/render/scope.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { anyText } from '../support/any-text.ts'
import { SNIPPETS } from './tracking-snippets.ts'

const rendering = new Rendering()
const PIXEL = /<img src="\{\{ mailwright_pixel \| raw \}\}"[^>]*>/g
const LINK =
  /\{\{ mailwright_click \| raw \}\}\/(\d+)|\{\{ mailwright_link_(\d+) \| raw \}\}|\{% capture mailwright_target %\}[\s\S]*?\{% endcapture %\}\{\{ mailwright_target \| mailwright_link: (\d+) \}\}/g

function track(source: string, dynamic: DynamicLinks): TrackedSource {
  return trackHtml(source, dynamic, (address) => {
    try {
      rendering.compile(address, 'html')
      return true
    } catch {
      return false
    }
  })
}

/** The rewritten source with each of our placeholders as `write` has it. */
function shown({ source }: TrackedSource, pixel: string, write: (number: number) => string): string {
  return source
    .replace(PIXEL, () => pixel)
    .replace(LINK, (_, fixed, apart, placed) => write(Number(fixed ?? apart ?? placed)))
}

describe('the rewriting of HTML', () => {
  it.each(SNIPPETS)('knows %s', (_what, source, expected) => {
    for (const dynamic of ['apart', 'in place'] as const) {
      const tracked = track(source, dynamic)
      expect(shown(tracked, '◉', (number) => `⟦${number}⟧`)).toBe(expected)
      expect(shown(tracked, '', (number) => tracked.links[number]!.source)).toBe(source)
    }
  })

  it('changes nothing but links, whatever the source', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SNIPPETS.map(([, source]) => source)),
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '=',
        '/',
        '&',
        '<a ',
        'href=',
        '<!--',
        '-->',
        '</body>',
        '<style>',
        '</style>',
      ),
      fc.constantFrom(
        'https://x.example',
        '{{ url }}',
        '{% if a %}',
        '{% endif %}',
        '{% raw %}',
        '{{',
        '}}',
        '<![CDATA[',
        ']]>',
      ),
      anyText({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom('apart', 'in place'), (pieces, dynamic) => {
        const source = pieces.join('')
        const tracked = track(source, dynamic)
        expect(shown(tracked, '', (number) => tracked.links[number]!.source)).toBe(source)
        for (const { source: value, target, quote } of tracked.links) {
          if (target !== undefined) expect(target).toBe(linkTarget(value, quote))
        }
        expect(tracked.source.match(PIXEL)).toHaveLength(1)
      }),
      { numRuns: 800 },
    )
  })
})

/** The injected of one mail, as the mail's own are made. */
function injected(html: TrackedHtml, variables: JsonObject, mailVariables: MailVariables): InjectedParts {
  const click = 'https://m.example/t/c/token'
  return {
    ...{ click, pixel: 'https://m.example/t/o/token', language: 'en', reason: 'Why', unsubscribe: 'Unsubscribe' },
    link: (number) => html.link(number, click, variables, mailVariables),
    linkInPlace: (place, occurrence, address) => html.linkInPlace(place, occurrence, address, click, mailVariables),
  }
}

function sent(source: string, variables: JsonObject, mailVariables: MailVariables = {}) {
  const html = TrackedHtml.compile(rendering, source, 1_000_000)
  const text = html.template.render(variables, { ...mailVariables, injected: injected(html, variables, mailVariables) })
  const links = [...text.matchAll(/https:\/\/m\.example\/t\/c\/token\/(\d+)/g)].map(([, number]) => Number(number))
  return { html, text, links, targets: links.map((number) => html.target(number, variables, mailVariables)) }
}

describe('a tracked mail', () => {
  it('leads every link to its address, decoded', () => {
    const { targets } = sent(
      '<a href="https://x.example/?a=1&amp;b=&quot;&copy=2"><a href=\' http://y.example/\n \'>',
      {},
    )
    expect(targets).toEqual(['https://x.example/?a=1&b="&copy=2', 'http://y.example/'])
  })

  it('fills in addresses for each recipient, and escapes what they hold', () => {
    const source = '<a href="https://x.example/?u={{ id }}&amp;n={{ name }}">'
    const { targets, text, html } = sent(source, { name: 'A&B "C"' }, { id: '7' })
    expect(html.template.slots).toBeDefined()
    expect(targets).toEqual(['https://x.example/?u=7&n=A&B "C"'])
    expect(text).toContain('<a href="https://m.example/t/c/token/0">')
  })

  it.each([
    ['mailto:a@x.example', 'mailto:a@x.example'],
    ['javascript:alert(1)', '#'],
    ['//evil.example', '//evil.example'],
    ['', ''],
    ['"><script>', '&#34;&gt;&lt;script&gt;'],
  ])('does not track an address that turns out to be %j', (url, expected) => {
    for (const source of ['<a href="{{ url }}">', '{% if true %}<a href="{{ url }}">{% endif %}']) {
      const { text, links, html } = sent(source, { url })
      expect(text).toContain(`<a href="${expected}">`)
      expect(links).toEqual([])
      expect(html.target(0, { url }, {})).toBeUndefined()
    }
  })

  it('never lets an unescaped value break out of its quotes into a link of ours', () => {
    const url = 'https://x.example" onclick="alert(1)'
    for (const tag of ['', '{% if true %}{% endif %}']) {
      const { text, links } = sent(`${tag}<a href="{{ url | raw }}">`, { url })
      expect(text).toContain(`<a href="${url}">`)
      expect(links).toEqual([])
    }
  })

  it('has a link for every turn of a loop, whose numbers are the same modulo the links', () => {
    const source =
      '<a href="https://x.example">{% for p in ps %}<a href="https://x.example/{{ p }}"><a href="https://y.example/">{% endfor %}<a href="{{ last }}">'
    const { html, links, targets } = sent(source, { ps: ['a', 'b', 'c'], last: 'https://z.example' })
    expect(html.links).toBe(4)
    expect(links).toEqual([0, 1, 2, 5, 2, 9, 2, 3])
    const y = 'https://y.example/'
    expect(targets).toEqual([
      ...['https://x.example', 'https://x.example/a', y, 'https://x.example/b', y, 'https://x.example/c', y],
      'https://z.example',
    ])
  })

  it('sees what tags before a link have set', () => {
    const source =
      '{% assign base = "https://x.example/" | append: id %}{% capture end %}?a={{ a }}{% endcapture %}<a href="{{ base }}{{ end | raw }}">'
    expect(sent(source, { a: 'b' }, { id: '7' }).targets).toEqual(['https://x.example/7?a=b'])
  })

  it('leaves the pages of the recipient alone also when a variable holds them', () => {
    const unsubscribeUrl = 'https://m.example/unsubscribe/token'
    const { text, links } = sent('{% assign u = unsubscribeUrl %}<a href="{{ u }}">', {}, { unsubscribeUrl })
    expect(text).toContain(`<a href="${unsubscribeUrl}">`)
    expect(links).toEqual([])
  })

  it('knows no link it does not have', () => {
    const source = '<a href="https://x.example"><a href="{{ url }}">'
    for (const html of [source, `{% if true %}${source}{% endif %}`].map((text) => sent(text, {}).html)) {
      const variables = { url: 'https://y.example' }
      expect(html.target(0, variables, {})).toBe('https://x.example')
      expect(html.target(1, variables, {})).toBe('https://y.example')
      for (const number of [2, 3, 1e9, Number.MAX_SAFE_INTEGER, -1, 0.5, Number.NaN]) {
        expect(html.target(number, variables, {})).toBeUndefined()
      }
    }
    expect(sent('no links', {}).html.target(0, {}, {})).toBeUndefined()
  })

  it('takes nothing from data of the names it uses', () => {
    const data = {
      mailwright_click: 'https://evil.example',
      mailwright_pixel: 'x',
      mailwright_link_0: 'y',
      mailwright_target: 'z',
    }
    for (const tag of ['', '{% if true %}{% endif %}']) {
      const { text } = sent(`${tag}<a href="https://x.example"><a href="{{ url }}">`, {
        ...data,
        url: 'https://y.example',
      })
      expect(text).not.toMatch(/evil|"x"|"y"|"z"/)
      expect(text).toContain('src="https://m.example/t/o/token"')
    }
    const own = rendering.compile(
      '{{ mailwright_click }}|{{ mailwright_link_0 }}|{{ "a" | mailwright_link: 0 }}',
      'html',
    )
    expect(own.render(data, {})).toBe('||a')
  })

  it('comes to the same by slots and by Liquid', () => {
    const values = fc.oneof(fc.webUrl(), fc.string(), fc.constant('https://x.example/?a=1&b="c"'))
    const pieces = fc.array(
      fc.constantFrom(
        ...[
          '<a href="https://x.example/?a=1&amp;b=2">',
          '<a href="{{ url }}">',
          "<a href='https://x.example/{{ url }}'>",
        ],
        ...[
          '{{ name }}',
          '<b>',
          '<!-- {{ name }} -->',
          '</body>',
          '<a href={{ url }}>',
          '<a href="{{ unsubscribeUrl }}">',
        ],
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(pieces, values, values, (parts, url, name) => {
        const source = parts.join('')
        const slots = sent(source, { url, name })
        const liquid = sent(`{% if true %}{% endif %}${source}`, { url, name })
        expect(slots.html.template.slots).toBeDefined()
        expect(liquid.html.template.slots).toBeUndefined()
        expect(liquid.text).toBe(slots.text)
        expect(liquid.targets).toEqual(slots.targets)
      }),
    )
  })
})
