import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const TEMPLATE = { name: 'Written', subject: 'Hi', type: 'MARKETING' }
const markdown = (text: string, more: object = {}) => ({ source: { format: 'MARKDOWN', text, ...more } })
const mjml = (inside: string) => ({
  source: {
    format: 'MJML',
    text: `<mjml><mj-body>\n<mj-section><mj-column>${inside}</mj-column></mj-section>\n</mj-body></mjml>`,
  },
})
const html = (text: string) => ({ source: { format: 'HTML', text, inlineCss: true } })

for (const store of [QUICK]) {
  describe(`mails written in another format on ${store.name}`, () => {
    let test: TestApp
    const make = (json: object) => test.ask('POST', '/templates', { json: { ...TEMPLATE, ...json } })

    beforeAll(async () => {
      test = await testApp(store)
    })

    it('keep their source as it was written, until the body is changed without it', async () => {
      const { source } = markdown('# Hi {{ name | default: "you" }}\r\n\r\nText  \n')
      const { body } = await make({ source })
      expect(body).toMatchObject({ source, body: expect.stringContaining('Hi {{ name | default: "you" }}</h1>') })
      const change = (json: object) => test.ask('PATCH', `/templates/${body.id}`, { json })
      expect((await test.ask('GET', `/templates/${body.id}`)).body.source).toEqual(source)
      expect((await test.ask('GET', '/templates?pageSize=1')).body.templates[0]).not.toHaveProperty('source')
      expect((await change({ subject: 'New', body: body.body })).body).toMatchObject({ subject: 'New', source })
      expect((await test.ask('POST', `/templates/${body.id}/duplicate`)).body.source).toEqual(source)
      const drawn = await change({ body: '<p>Drawn</p>', design: { version: 1 } })
      expect(drawn.body).not.toHaveProperty('source')
      const again = await change(markdown('Again'))
      expect(again.body).toMatchObject({ body: expect.stringContaining('Again</p>'), ...markdown('Again') })
      expect(again.body).not.toHaveProperty('design')
      const without = await change({ source: null })
      expect(without.body.body).toBe(again.body.body)
      expect(without.body).not.toHaveProperty('source')
      for (const [wrong, fields] of [
        [{ source, body: 'B' }, { body: 'custom' }],
        [{ source, design: {} }, { body: 'required' }],
        [{ source: { format: 'WORD', text: 'x' } }, { 'source.format': 'invalid_enum_value' }],
        [{ source: { format: 'HTML', text: '' } }, { 'source.text': 'too_small' }],
        [markdown('x'.repeat(1_000_001)), { 'source.text': 'too_big' }],
        [markdown('Hi {{ name'), { 'source.text': 'custom' }],
      ] as const) {
        expectEnvelope(await change(wrong), 422, 'VALIDATION_ERROR', fields)
      }
      expectEnvelope(await make({}), 422, 'VALIDATION_ERROR', { body: 'required' })
    })

    it('render snippets, and say which one is missing', async () => {
      await test.ask('POST', '/snippets', { json: { name: 'sign', body: '<p>Yours, {{ who }}</p>' } })
      for (const written of [
        markdown("# Hi\n\n{% render 'sign', who: name %}"),
        mjml("<mj-text>Hi {% render 'sign', who: name %}</mj-text>"),
        html("<p>Hi</p>{% render 'sign', who: name %}"),
      ]) {
        const { status, body } = await make({ ...written, type: 'TRANSACTIONAL', from: 'hello@example.com' })
        expect([status, body.body]).toEqual([201, expect.stringContaining("{% render 'sign', who: name %}")])
        const shown = await test.ask('POST', '/templates/render', { json: { body: body.body, data: { name: 'Ada' } } })
        expect(shown.body.html).toContain('<p>Yours, Ada</p>')
      }
      const missing = await make(markdown("{% render 'nobody' %}"))
      expectEnvelope(missing, 422, 'VALIDATION_ERROR', { 'source.text': 'custom' })
      expect(missing.body.error.message).toBe('source.text: there is no snippet "nobody"')
    })

    // a draft and a version have both the source and the body that was made of it
    it('are published from a draft and restored from a version', async () => {
      const { body } = await make(markdown('First'))
      const path = `/templates/${body.id}`
      const draft = { ...markdown('Second'), body: body.body }
      expect((await test.ask('PUT', `${path}/draft`, { json: draft })).status).toBe(200)
      const published = await test.ask('POST', `${path}/publish`)
      expect(published.body).toMatchObject({ body: expect.stringContaining('Second</p>'), ...markdown('Second') })
      const restored = await test.ask('POST', `${path}/versions/1/restore`)
      expect(restored.body).toMatchObject({ body: expect.stringContaining('First</p>'), ...markdown('First') })
    })

    it('are campaigns as well, also by their template and when one replaces another', async () => {
      const { source } = markdown('Hi **all**')
      const template = (await make({ source })).body.id
      const campaign = { name: 'C', from: 'me@example.com', audienceType: 'ALL' }
      const made = (await test.ask('POST', '/campaigns', { json: { ...campaign, template } })).body.data
      expect(made).toMatchObject({ source, body: expect.stringContaining('<strong>all</strong>') })
      const change = async (json: object) => {
        await test.ask('PUT', `/campaigns/${made.id}`, { json })
        return (await test.ask('GET', `/campaigns/${made.id}`)).body
      }
      expect(await change({ name: 'D' })).toMatchObject({ source })
      const other = markdown('Hi *you*')
      const replaced = await change({ ...campaign, subject: 'S', ...other })
      expect(replaced).toMatchObject({ ...other, subject: 'S', body: expect.stringContaining('<em>you</em>') })
      expect(await change({ ...campaign, subject: 'S', body: replaced.body })).toMatchObject(other)
      expect(await change({ body: '<p>By hand</p>' })).not.toHaveProperty('source')
      const both = await test.ask('POST', '/campaigns', { json: { ...campaign, subject: 'S', body: 'B', source } })
      expectEnvelope(both, 422, 'VALIDATION_ERROR', { body: 'custom' })
    })

    it('are shown filled in before they are saved', async () => {
      const json = {
        subject: 'S',
        ...markdown('{% for n in names %}\n- {{ n }}\n{% endfor %}'),
        data: { names: ['A', '<B>'] },
      }
      const { body } = await test.ask('POST', '/templates/render', { json })
      expect(body.html.match(/<li.*<\/li>/g)).toEqual(
        ['A', '&lt;B&gt;'].map((n) => expect.stringContaining(`>${n}</li>`)),
      )
      expect(body.html.match(/<ul/g)).toHaveLength(1)
    })
  })
}

describe('mails written in another format', () => {
  let test: TestApp
  const make = (json: object) => test.ask('POST', '/templates', { json: { ...TEMPLATE, ...json } })
  const bodyOf = async (json: object): Promise<string> => (await make(json)).body.body
  const refusal = async (json: object): Promise<string> => {
    const { status, body } = await make(json)
    expect({ status, body }).toMatchObject({ status: 422 })
    return body.error.errors[0].message
  }

  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  it('keep Liquid of Markdown in links, code and HTML, and lines of tags between blocks', async () => {
    const text = [
      '[to]({{ url }}?a={{ "b" }}) <https://a.example/{{ id }}> `{{ code }}`',
      '{% if plan == "pro" %}\n\nPro\n\n{% endif %}',
      '```\n{% raw %}{{ x }}{% endraw %} <b>\n```',
      '<div {% if x %}class="a"{% endif %}>{{ "<" }}</div>',
    ].join('\n\n')
    const made = await bodyOf(markdown(text))
    for (const part of [
      '<a href="{{ url }}?a={{ "b" }}">to</a>',
      '<a href="https://a.example/{{ id }}">https://a.example/{{ id }}</a>',
      '>{{ code }}</code>',
      '\n{% if plan == "pro" %}\n<p',
      '</p>\n{% endif %}\n',
      '{% raw %}{{ x }}{% endraw %} &lt;b&gt;',
      '<div {% if x %}class="a"{% endif %}>{{ "<" }}</div>',
    ]) {
      expect(made).toContain(part)
    }
    expect(made).not.toContain('<p style="margin:0 0 16px">{%')
    expect(await refusal(markdown(`${'> '.repeat(5000)}deep`))).toContain('deep in one another')
  })

  it('keep Liquid of MJML wherever it may stand, and fetch no fonts that were not asked for', async () => {
    const inside = '{% for l in ls %}<mj-text color="{{ c | default: "red" }}">{{ l }} &amp; é</mj-text>{% endfor %}'
    const text = `{% assign a = "x" %}<mjml><mj-head><mj-attributes><mj-text padding="{{ p }}"/></mj-attributes><mj-style>.a{color:{{ d }}}</mj-style></mj-head><mj-body>{% if a %}<mj-section><mj-column>${inside}<mj-raw><b>{{ raw | raw }}</b></mj-raw></mj-column></mj-section>{% endif %}</mj-body></mjml>`
    const made = await bodyOf({ source: { format: 'MJML', text } })
    for (const part of [
      /^\{% assign a = "x" %\}<!doctype html>/,
      /role="article"[^>]*>\{% if a %\}<!--\[if mso/,
      /\{% for l in ls %\}<tr>.*color:\{\{ c \| default: "red" \}\};">\{\{ l \}\} &amp; é<\/div><\/td><\/tr>\{% endfor %\}/,
      /padding:\{\{ p \}\};/,
      /\.a\{color:\{\{ d \}\}\}/,
      /<b>\{\{ raw \| raw \}\}<\/b>/,
      /<!\[endif\]-->\{% endif %\}<\/div><\/body>/,
    ]) {
      expect(made).toMatch(part)
    }
    expect(made).not.toContain('fonts.googleapis.com')
  })

  it.each([
    ['<mj-txt>a</mj-txt>', 'line 2, column 24: there is no <mj-txt>; <mj-text> is probably meant'],
    ['\n  <mj-include path="/etc/passwd"/>', 'line 3, column 3: mj-include is not taken'],
    ['\n<mj-text>é {{ "long" }} <b>x</mj-text>', 'line 3, column 29: </mj-text> stands where <b> of line 3, column 25'],
    ['<mj-text {% if a %}color="red"{% endif %}>a</mj-text>', 'line 2, column 33: Liquid cannot stand between'],
    ['<mj-social>{{ x }}</mj-social>', 'line 2, column 35: Liquid cannot stand directly in <mj-social>'],
    ['<mj-image width="{{ w }}" src="x"/>', 'line 2, column 41: Liquid would be lost here'],
    ['<mj-text>{{ "a" }} < b</mj-text>', 'line 2, column 43: the sign < begins no tag'],
    [`${'<mj-text>'.repeat(101)}`, 'elements are more than 100 deep'],
  ])('name the place in MJML that is wrong: %s', async (inside, said) => {
    expect(await refusal(mjml(inside))).toContain(said)
  })

  it('have CSS written into their elements, but for what elements cannot have', async () => {
    const made = await bodyOf(
      html(`<html><head><link rel="stylesheet" href="http://127.0.0.1:1/a.css"><style>.a{color:red;background:{{ bg }}} a:hover{color:blue} @media (max-width:600px){.a{color:blue}}</style>
<style>{% if dark %}.a{margin:0}{% endif %}</style></head><body><!--[if mso]><p class="a">{{ x }}</p><![endif]--><p class="a" style="margin:0;{{ more }}">{{ y | default: "q" }}</p>
<table>{% for l in ls %}<tr><td class="a" {% if l %}bgcolor="x"{% else %}bgcolor='y'{% endif %}>{{ l }}</td></tr>{% endfor %}</table></body></html>`),
    )
    for (const part of [
      '<link rel="stylesheet" href="http://127.0.0.1:1/a.css">',
      '@media (max-width:600px){.a{color:blue}}',
      'a:hover { color: blue; }',
      '<style>{% if dark %}.a{margin:0}{% endif %}</style>',
      '<!--[if mso]><p class="a">{{ x }}</p><![endif]-->',
      '<p class="a" style="color: red;background: {{ bg }};margin:0;{{ more }}">{{ y | default: "q" }}</p>',
      `<table>{% for l in ls %}<tr><td class="a" {% if l %}bgcolor="x"{% else %}bgcolor='y'{% endif %} style="color: red;background: {{ bg }};">{{ l }}</td></tr>{% endfor %}</table>`,
    ]) {
      expect(made).toContain(part)
    }
    expect(await refusal(html('<style>p{color:red}</style><{{ tag }}>x</{{ tag }}>'))).toContain(
      'line 1, column 42: Liquid would be lost',
    )
    const inMarkdown = await bodyOf(markdown('<style>p{color:red}</style>\n\nHi', { inlineCss: true }))
    expect(inMarkdown).toMatch(/<p style="color: red;margin:0 0 16px">Hi|<p style="[^"]*color: red[^"]*">Hi/)
  })

  it('are refused in bounded time when they are hostile, and hold up nothing else', async () => {
    const section = '<mj-section><mj-column><mj-text>Hello world, this is text</mj-text></mj-column></mj-section>'
    const large = `<mjml><mj-body>${section.repeat(10_800)}</mj-body></mjml>`
    const rules = Array.from({ length: 8000 }, (_, i) => `.c${i} .d${i},div>p{color:red}`).join('')
    const elements = Array.from({ length: 8000 }, (_, i) => `<div class="c${i}"><p class="d${i}">x</p></div>`).join('')
    let longest = 0
    let last = performance.now()
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 5)
    try {
      const begun = performance.now()
      expect(await refusal({ source: { format: 'MJML', text: large } })).toContain('MB of HTML')
      expect(await refusal(mjml('<mj-text>'.repeat(100_000)))).toContain('deep in one another')
      expect(await refusal(mjml(`<mj-text>${'<b>'.repeat(90)}${'<i '.repeat(200_000)}`))).toBeTruthy()
      expect(await refusal(html('<div>'.repeat(100_000)))).toContain('deep in one another')
      expect(await refusal(html(`<p><b>`.repeat(50_000)))).toContain('open elements')
      expect(await refusal(html(`<style>${rules}</style>${elements}`))).toContain('too much time or memory')
      expect(await bodyOf(markdown('Still there'))).toContain('Still there')
      expect(performance.now() - begun).toBeLessThan(40_000)
    } finally {
      clearInterval(watch)
    }
    expect(longest).toBeLessThan(250)
  }, 60_000)
})
