import { describe, expect, it } from 'vitest'
import { htmlWithFooter, textWithFooter } from '../../core/mail/html/footer.ts'
import { readHtml } from '../../core/mail/html/read-html.ts'
import { LANGUAGES, translationsIn } from '../../core/mail/languages/translations-in.ts'
import { listFields, unsubscribeFields } from '../../core/mail/links/list-headers.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { scanTemplate } from '../../core/mail/render/scan-template.ts'
import { asProjectId } from '../../core/values/project-id.ts'

const WHO = { email: 'ada@example.org', sender: 'Acme & Co' }

describe('the footer', () => {
  it.each([
    '{{ unsubscribeUrl }}',
    '{{unsubscribeUrl|raw}}',
    '{{- manageUrl -}}',
    '<a href="{{ unsubscribeUrl | append: "?a=1" }}">x</a>',
    '{{ x | default: unsubscribeUrl }}',
    '{{ ["unsubscribeUrl"] }}',
    '{% assign u = manageUrl %}{{ u }}',
    '{% echo unsubscribeUrl %}',
    '{% if a %}{{ unsubscribeUrl }}{% endif %}',
  ])('is not added to a body with %s', (body) => {
    expect(htmlWithFooter(body, readHtml(body))).toBe(body)
    expect(textWithFooter(body, scanTemplate(body))).toBe(body)
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
    '<title>{{ manageUrl }}</title>',
  ])('is added to a body with %s', (body) => {
    expect(htmlWithFooter(body, readHtml(body))).toMatch(/\{\{ mailwright_reason \}\}.*<\/p>$/)
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
    expect(html).toMatch(/^<p lang="fr".*envoyés par &lt;A&gt; &amp; l’autre\. <a href="https:\/\/m\.example\/u"/)
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
