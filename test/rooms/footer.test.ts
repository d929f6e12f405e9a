import { describe, expect, it } from 'vitest'
import { renderMail } from '../../core/mail/compile-mail.ts'
import { htmlWithFooter } from '../../core/mail/html/footer.ts'
import { readHtml } from '../../core/mail/html/read-html.ts'
import { wayOutOfHtml } from '../../core/mail/html/way-out.ts'
import { LANGUAGES, translationsIn } from '../../core/mail/languages/translations-in.ts'
import { Links } from '../../core/mail/links/links.ts'
import { listFields, unsubscribeFields } from '../../core/mail/links/list-headers.ts'
import { MailBodies } from '../../core/mail/mail-bodies.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { scanTemplate } from '../../core/mail/render/scan-template.ts'
import type { MailContent } from '../../core/ports/store/contents.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { asProjectId } from '../../core/values/project-id.ts'

const WHO = { email: 'ada@example.org', sender: 'Acme & Co' }

const PAGES = { unsubscribeUrl: 'https://m.example/unsubscribe/t', manageUrl: 'https://m.example/manage/t' }
const LINK = '<a href="{{ unsubscribeUrl }}">Leave</a>'

function htmlOf(body: string) {
  return wayOutOfHtml(body, scanTemplate(body))
}

/** How many footers a mail of this body has, in HTML and in text. */
function footers(html: string, data: JsonObject = {}, text?: string): readonly [html: number, text: number] {
  const content = { ...CONTENT, html, ...(text === undefined ? {} : { text }) }
  const { templates } = new MailBodies(content, rendering, links)
  const injected = { click: '', pixel: '', language: 'en', reason: 'REASON', unsubscribe: 'Unsubscribe' }
  const values = {
    ...PAGES,
    injected: { ...injected, link: () => '', linkInPlace: (_: number, __: number, a: string) => a },
  }
  const mail = renderMail(templates, data, values)
  return [mail.html.split('REASON').length - 1, mail.text.split('REASON').length - 1]
}

const rendering = new Rendering()
const links = new Links({ publicUrl: 'https://m.example', secret: Buffer.alloc(32) })
const CONTENT: MailContent = {
  ...{ id: '1', projectId: asProjectId('01900000-0000-7000-8000-000000000000')!, subject: 's', html: '' },
  ...{ from: { email: 'a@acme.example', name: 'Acme' }, cc: [], bcc: [], headers: [], attachments: [] },
  ...{ marketing: true, createdAt: new Date(0) },
}

describe('the footer', () => {
  it.each([
    '{{ unsubscribeUrl }}',
    LINK,
    '<a href={{manageUrl|raw}}><img src="{{ logo }}"> Leave</a>',
    '<a href="{{ ["unsubscribeUrl"] }}"><b>Leave</b></a>',
    `{% if a %}x{% endif %}<div style="font-size:0"><p style="font-size:12px">${LINK}</p></div>`,
    `<style>.a{color:red} @media (max-width:9px){.foot{display:none}}</style><p class="foot">${LINK}</p>`,
    `<!-- {{ unsubscribeUrl }} --><div style="display:none">Preheader</div><p style="color:{{ c }}">${LINK}</p>`,
  ])('is known not to be needed by %s', (body) => {
    expect(htmlOf(body)).toBe('always')
    expect(footers(body)).toEqual([0, 0])
  })

  it.each([
    'unsubscribeUrl',
    '{{ subscribeUrl }}',
    '{{ "unsubscribeUrl" }}',
    '{{ data.unsubscribeUrl }}',
    '{{ unsubscribeUrls }}',
    '{{ my-unsubscribeUrl }}',
    '{% if unsubscribeUrl %}x{% endif %}',
    '{% raw %}{{ unsubscribeUrl }}{% endraw %}',
    '{% comment %}{{ unsubscribeUrl }}{% endcomment %}',
    '<!-- {{ unsubscribeUrl }} -->',
    '<!--[if mso]>{{ unsubscribeUrl }}<![endif]-->',
    '<head><title>{{ manageUrl }}</title></head>',
    '<style>a{b:url({{ manageUrl }})}</style>',
    '<a href="{{ unsubscribeUrl }}"><img src="x.png" alt="Unsubscribe"></a>',
    '<a href="{{ unsubscribeUrl }}">&nbsp;&#8203; </a>',
    '<img src="{{ unsubscribeUrl }}">',
    '<link href="{{ unsubscribeUrl }}">',
    ...['hidden', 'style="DISPLAY: none !important"', 'style="visibility:hidden"', 'style="font-size:0px"'].map(
      (how) => `<div ${how}><p>${LINK}</p></div>`,
    ),
    ...['opacity:0', 'max-height:0;overflow:hidden', 'color:transparent', 'position:absolute;left:-9999px'].map(
      (how) => `<p style="${how}">${LINK}</p>`,
    ),
    `<style>p.foot, #x { display:none }</style><p class="a foot">${LINK}</p>`,
  ])('is known to be needed by %s', (body) => {
    expect(htmlOf(body)).toBe('never')
    expect(footers(body)[0]).toBe(1)
    expect(htmlWithFooter(body, readHtml(body))).toMatch(/\{\{ mailwright_reason \}\}.*<\/p>(?:<\/\w+>)*$/)
  })

  it.each([
    ['<a href="{{ unsubscribeUrl | append: "?a=1" }}">x</a>', {}, undefined],
    ['{{ x | default: unsubscribeUrl }}', {}, { x: 'y' }],
    ['{% assign u = manageUrl %}<a href="{{ u }}">x</a>', {}, undefined],
    ['{% assign u = manageUrl %}{% if a %}{{ u }}{% endif %}', { a: 1 }, {}],
    ['{% capture u %}{{ unsubscribeUrl }}{% endcapture %}{% if a %}{{ u }}{% endif %}', { a: 1 }, {}],
    ['{% echo unsubscribeUrl %}', {}, undefined],
    [`{% if a %}${LINK}{% endif %}`, { a: 1 }, {}],
    [`{% unless a %}${LINK}{% endunless %}`, {}, { a: 1 }],
    [`{% case a %}{% when 1 %}${LINK}{% when 2 %}{{ manageUrl }}{% endcase %}`, { a: 2 }, { a: 3 }],
    [`{% for x in a %}${LINK}{% endfor %}`, { a: [1, 2] }, { a: [] }],
    [`<p style="display:{{ d }}">${LINK}</p>`, { d: 'block' }, { d: 'none' }],
    [`<p {{ attributes }}>${LINK}</p>`, {}, { attributes: 'hidden' }],
    [`{{ a | raw }}${LINK}`, { a: '<p>' }, { a: '<!--' }],
    [`{% if a %}<div hidden>{% endif %}${LINK}{% if a %}</div>{% endif %}`, {}, { a: 1 }],
    ['<a href="{{ unsubscribeUrl }}">{{ label }}</a>', { label: 'Leave' }, { label: ' ' }],
    [`{% assign unsubscribeUrl = a %}{{ unsubscribeUrl }}`, { a: PAGES.unsubscribeUrl }, { a: 'https://else.example' }],
  ])('is added where a mail of %s turns out to need it', (body, without, needing) => {
    expect(htmlOf(body)).toBe('perhaps')
    expect(footers(body, without)).toEqual([0, 0])
    if (needing !== undefined) expect(footers(body, needing)[0]).toBe(1)
  })

  it.each([
    ['{{ unsubscribeUrl }}', {}, 0],
    ['Hello', {}, 1],
    ['{% if de %}{{ unsubscribeUrl }}{% endif %}', { de: true }, 0],
    ['{% if de %}{{ unsubscribeUrl }}{% endif %}', {}, 1],
    ['{% assign u = manageUrl %}Leave: {{ u }}', {}, 0],
    ['{{ unsubscribeUrl | split: "/" | first }}', {}, 1],
  ])('is added to a text of its own %s with %j as that needs it', (text, data, count) => {
    expect(footers(LINK, data, text)).toEqual([0, count])
    expect(footers('<p>Hello</p>', data, text)).toEqual([1, count])
  })

  it.each(['de', 'en', 'fr', undefined])('leaves one way out of a mail by locale, here %s', (locale) => {
    const body = `<html><body><p>News</p>
{% if locale == 'de' %}<a href="{{ unsubscribeUrl }}">Abmelden</a>
{% elsif locale == 'en' %}<a href="{{ unsubscribeUrl }}">Unsubscribe</a>{% endif %}
</body></html>`
    const expected = locale === 'de' || locale === 'en' ? 0 : 1
    expect(footers(body, locale === undefined ? {} : { locale })).toEqual([expected, expected])
  })

  it('stands where it is seen', () => {
    const placed = (body: string) => htmlWithFooter(body, readHtml(body)).replace(/<p lang.*<\/p>/, '◆')
    expect(placed('<body><p>a</p></body></html>')).toBe('<body><p>a</p>◆</body></html>')
    expect(placed('<p>a</p><!-- never closed')).toBe('<p>a</p>◆<!-- never closed')
    expect(placed('{% if a %}<b>{% endif %}')).toBe('{% if a %}<b>{% endif %}◆')
  })

  it('is read by a screen reader in its language, and escapes the sender', () => {
    const template = new Rendering().compile(htmlWithFooter('', readHtml('')), 'html')
    const { footer, language } = translationsIn('fr')
    const injected = {
      ...{ click: '', pixel: '', language, reason: footer.reason('<A> & l’autre'), unsubscribe: footer.unsubscribe },
      ...{ link: () => '', linkInPlace: () => '' },
    }
    const html = template.render({}, { unsubscribeUrl: 'https://m.example/u', injected })
    expect(html).toMatch(/^<p lang="fr".*envoyés par &lt;A&gt; &amp; l’autre\.<br><a href="https:\/\/m\.example\/u"/)
  })
})

describe('the languages', () => {
  it('are ten, each with its own words', () => {
    expect([...LANGUAGES.keys()]).toEqual(['en', 'de', 'fr', 'es', 'nl', 'pt', 'it', 'pl', 'ja', 'zh'])
    const reasons = [...LANGUAGES.values()].map(({ footer }) => footer.reason('Acme'))
    expect(new Set(reasons).size).toBe(10)
    for (const [tag, words] of LANGUAGES) {
      const { footer, confirmation, manage, ...pages } = words
      expect(footer.reason(WHO.sender), tag).toContain(WHO.sender)
      for (const page of [pages.unsubscribe, pages.unsubscribed, pages.subscribe, pages.subscribed]) {
        expect(page.sentence(WHO), tag).toContain(WHO.email)
        expect(page.sentence(WHO), tag).toContain(WHO.sender)
      }
      for (const sentence of [manage.whenSubscribed(WHO), manage.whenUnsubscribed(WHO), confirmation.request(WHO)]) {
        expect(sentence, tag).toContain(WHO.email)
        expect(sentence, tag).toContain(WHO.sender)
      }
      expect(confirmation.subject(WHO.sender), tag).toContain(WHO.sender)
    }
  })

  it.each([
    [['de'], 'de'],
    [['pt-BR'], 'pt'],
    [['pt_PT'], 'pt'],
    [[' ZH-Hant-TW '], 'zh'],
    [['sv', 'nl-BE'], 'nl'],
    [[undefined, 'it'], 'it'],
    [[null, 7, {}, [], ''], 'en'],
    [['deutsch'], 'en'],
    [['constructor', '__proto__'], 'en'],
    [[], 'en'],
  ])('for %j is %s', (wishes: readonly unknown[], expected: string) => {
    expect(translationsIn(...wishes).language).toBe(expected)
  })
})

describe('the header fields of a list', () => {
  const projectId = asProjectId('01900000-0000-7000-8000-000000000000')!
  const listId = (email: string, name?: string) =>
    listFields({ projectId, from: { email, ...(name ? { name } : {}) } }, [])[0]?.[1]

  it('name the list by project and domain, in ASCII, described where that is safe', () => {
    expect(listId('a@example.com', 'Acme')).toBe(`"Acme" <${projectId}.list.example.com>`)
    expect(listId('a@example.com', 'The "A" \\ Team')).toBe(`"The \\"A\\" \\\\ Team" <${projectId}.list.example.com>`)
    expect(listId('a@bücher.example', 'Bücher')).toBe(`<${projectId}.list.xn--bcher-kva.example>`)
    expect(listId('a@example.com', '=?UTF-8?Q?x?=')).toBe(`<${projectId}.list.example.com>`)
    expect(listId('a@example.com')).toBe(`<${projectId}.list.example.com>`)
  })

  it('promise one click only for our own page', () => {
    const page = 'https://m.example/unsubscribe/t'
    const names = (own: [string, string][]) =>
      unsubscribeFields({ page, address: undefined }, own).map(([name]) => name)
    expect(names([])).toEqual(['List-Unsubscribe', 'List-Unsubscribe-Post'])
    // either of the pair is the sender's own word on both
    expect(names([['LIST-UNSUBSCRIBE', '<mailto:a@b.example>']])).toEqual([])
    expect(names([['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']])).toEqual([])
  })

  it('name an address behind the page, and alone where there is no page, without the one click', () => {
    const ways = (page: string | undefined) => unsubscribeFields({ page, address: 'u+1@mx.example' }, [])
    expect(ways('https://m.example/u').slice(0, 2)).toEqual([
      ['List-Unsubscribe', '<https://m.example/u>, <mailto:u+1@mx.example?subject=unsubscribe>'],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ])
    expect(ways(undefined)).toEqual([['List-Unsubscribe', '<mailto:u+1@mx.example?subject=unsubscribe>']])
  })

  it("leave the sender's own fields alone", () => {
    const names = (own: [string, string][]) =>
      listFields({ projectId, from: { email: 'a@example.com' } }, own).map(([name]) => name)
    expect(names([])).toEqual(['List-Id', 'Precedence'])
    expect(names([['LIST-ID', '<mine.example>']])).toEqual(['Precedence'])
  })
})

it.each([...LANGUAGES])('each of several topics stands in the same quotes in %s', (_language, {
  topics,
  confirmation,
}) => {
  const topic = `One${topics.between}Two`
  for (const sentence of [confirmation.topicPage, confirmation.topics.request]) {
    const [, begins, ends] = /([„“«‘「]\u00a0?)One.+Two(\u00a0?[“”»’」])/.exec(sentence({ ...WHO, topic })) ?? []
    const [first, last] = [topics.between.slice(0, ends?.length), topics.between.slice(-Number(begins?.length))]
    expect([first, last]).toEqual([ends, begins])
  }
})
