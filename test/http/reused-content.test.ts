import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { logoOf, mailPage } from '../../core/mail/formats/mail-page.ts'
import {
  DISABLED_SECRET,
  expectEnvelope,
  MAIL,
  OTHER_SECRET,
  ownProject,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const TEMPLATE = { name: 'Welcome', subject: 'Hi', type: 'TRANSACTIONAL', from: 'hello@example.com' }
const FOOTER = '<p>Acme GmbH, {{ city }}</p>'

for (const store of [QUICK]) {
  describe(`snippets and layouts on ${store.name}`, () => {
    let sink: SmtpSink
    let test: TestApp
    /** Asks in a project of its own, where the names are free. */
    const fresh = async () => {
      const { ask } = await ownProject(test)
      const post = async (path: string, json: object) => {
        const answer = await ask('POST', path, { json })
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body
      }
      const snippet = (name: string, body: string) => post('/snippets', { name, body })
      const shown = async (body: string, data: object = {}, more: object = {}) =>
        post('/templates/render', { body, data, ...more })
      const mailed = async (path: string, json: object) => {
        const before = sink.messages.length
        await post(path, json)
        const { html, text } = await simpleParser((await sink.waitFor(before + 1)).at(-1)!.raw)
        return { html: html === false ? '' : html, text: text ?? '' }
      }
      return { ask, post, snippet, shown, mailed }
    }

    beforeAll(async () => {
      sink = await startSmtpSink()
      test = await testApp(store, {}, { transports: [toSink(sink)], publicUrl: 'https://mail.example.net' })
      await test.engine.start()
    })
    atEndOfFile(() => sink.close())

    it('are made, listed, changed and deleted by name or id', async () => {
      const { ask, snippet, post } = await fresh()
      const made = await snippet('legal-footer', FOOTER)
      expect(made).toEqual({ ...made, name: 'legal-footer', body: FOOTER, createdAt: made.updatedAt })
      expect(Object.keys(made)).toEqual(['id', 'name', 'body', 'version', 'createdAt', 'updatedAt'])
      const frame = await post('/layouts', { name: 'Brand', description: 'D', body: '<b>{{ content }}</b>' })
      for (const [path, one] of [
        ['/snippets', made],
        ['/layouts', frame],
      ] as const) {
        const { body } = await ask('GET', `${path}?search=A`)
        expect(body).toMatchObject({ [path.slice(1)]: [one], data: [one], total: 1, hasMore: false })
        const at = `${path}/${one.id}`
        const changed = (await ask('PATCH', at, { json: { description: 'New' } })).body
        expect(changed).toEqual({ ...one, description: 'New', version: 2, updatedAt: changed.updatedAt })
        expect((await ask('PATCH', at, { json: { description: null } })).body).not.toHaveProperty('description')
        expect((await ask('GET', at, { key: OTHER_SECRET })).status).toBe(404)
        expect(
          (await ask('POST', path, { key: DISABLED_SECRET, json: { name: 'x', body: '{{ content }}' } })).status,
        ).toBe(403)
        expect((await ask('DELETE', at)).status).toBe(204)
        const code = path === '/snippets' ? 'SNIPPET_NOT_FOUND' : 'LAYOUT_NOT_FOUND'
        for (const method of ['GET', 'PATCH', 'DELETE'])
          expectEnvelope(await ask(method, at, method === 'PATCH' ? { json: { description: 'x' } } : {}), 404, code)
        expectEnvelope(await ask('GET', `${path}/x/usage`), 404, code)
      }
    })

    it('keep what they were drawn as until the body is changed without it, and are listed without it', async () => {
      const { ask, post } = await fresh()
      const design = { version: 1, content: ['drawn'] }
      for (const [path, name] of [
        ['/snippets', 'drawn'],
        ['/layouts', 'Drawn'],
      ] as const) {
        const body = '<p>{{ content }}</p>'
        const { id } = await post(path, { name, body, design })
        const change = async (json: object) => (await ask('PATCH', `${path}/${id}`, { json })).body
        expect((await ask('GET', `${path}/${id}`)).body).toMatchObject({ design })
        expect((await ask('GET', path)).body.data).toMatchObject([{ id, body }])
        expect((await ask('GET', path)).body.data[0]).not.toHaveProperty('design')
        expect(await change({ description: 'D' })).toMatchObject({ design })
        expect(await change({ body, design: { version: 2 } })).toMatchObject({ design: { version: 2 } })
        expect(await change({ body: `${body}!` })).not.toHaveProperty('design')
        for (const [given, field] of [
          [{ design }, 'body'],
          [{ body, design: 'x' }, 'design'],
          [{ body, design: { kept: 'x'.repeat(500 * 1024) } }, 'design'],
        ] as const) {
          const refused = await ask('PATCH', `${path}/${id}`, { json: given })
          expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, field])
        }
        expect(await change({ body, design })).toMatchObject({ design })
        expect(await change({ body, design: null })).not.toHaveProperty('design')
      }
      const titled = await post('/snippets', { name: 'fusszeile', title: ' Fußzeile ', body: '<p>Bye</p>' })
      expect(titled.title).toBe('Fußzeile')
      expect((await ask('GET', '/snippets?search=fu%C3%9F')).body.data).toMatchObject([{ id: titled.id }])
      expect((await ask('PATCH', `/snippets/${titled.id}`, { json: { title: null } })).body).not.toHaveProperty('title')
    })

    // one card within the other would have two margins, two grounds and two logos
    it('are one page with the drawn mail within, when the layout is drawn, too', async () => {
      const { post, shown } = await fresh()
      const page = (inside: string) => mailPage({ language: 'en', look: {}, title: '', inside })
      const logo = logoOf('https://a.example/logo.png')
      const { id } = await post('/layouts', { name: 'Drawn', body: page(`${logo}{{ content }}\n<p>End</p>`) })
      const whole = await shown(
        page(`${logo}<p>Mail of {{ town }}</p>`),
        { town: 'Bonn' },
        { subject: 'S', layoutId: id },
      )
      const alone = await shown(page(`${logo}<p>Mail of Bonn</p>\n<p>End</p>`), {}, { subject: 'S' })
      expect(whole.html).toBe(alone.html)
      const written = await shown('<p>Written</p>', {}, { subject: 'S', layoutId: id })
      expect(written.html).toContain(`${logo}<p>Written</p>\n<p>End</p>`)
    })

    it('refuse names and bodies that cannot be', async () => {
      const { ask, snippet } = await fresh()
      const refused = async (json: object, fields: object) =>
        expectEnvelope(await ask('POST', '/snippets', { json }), 422, 'VALIDATION_ERROR', { ...fields })
      for (const name of ['', 'Footer', 'a_b', 'a--b', '-a', 'a b', 'ä', 'x'.repeat(65)])
        await refused({ name, body: 'x' }, { name: expect.any(String) })
      await refused({ name: 'a', body: '' }, { body: 'too_small' })
      await refused({ name: 'a', body: 'x'.repeat(100_001) }, { body: 'too_big' })
      await refused({ name: 'a', body: 'x\n {% if %}' }, { body: 'custom' })
      const long = await snippet('x'.repeat(64), 'x'.repeat(100_000))
      expectEnvelope(await ask('POST', '/snippets', { json: { name: long.name, body: 'x' } }), 409, 'CONFLICT')
      const other = await snippet('other', 'x')
      expectEnvelope(await ask('PATCH', `/snippets/${other.id}`, { json: { name: long.name } }), 409, 'CONFLICT')
    })

    it('are in the mail that renders them, in HTML and in text, with tracked links', async () => {
      const { post, snippet, mailed, ask } = await fresh()
      await snippet('badge', '<p>{{ label | upcase }} {{ name }}</p>')
      await snippet('footer', `${FOOTER}{% render 'badge', label: 'by' %}<a href="https://acme.example/a">Acme</a>`)
      const body = '<h1>Hi {{ name }}</h1>\n{% render "footer" %}'
      const template = await post('/templates', { ...TEMPLATE, body })
      const data = { name: 'Ada & Bob', city: 'Berlin' }
      const sends = [
        { to: 'ada@example.org', template: template.id, data, tracking: true },
        { ...MAIL, body, data, tracking: true },
      ]
      for (const json of sends) {
        const { html, text } = await mailed('/v1/send', json)
        expect(html).toMatch(
          /<h1>Hi Ada &amp; Bob<\/h1>\s*<p>Acme GmbH, Berlin<\/p><p>BY Ada &amp; Bob<\/p><a href="https:\/\/mail\.example\.net\/t\/c\//,
        )
        expect(text.replace(/\s+/g, ' ')).toContain('Acme GmbH, Berlin BY Ada & Bob Acme')
      }
      // each message of a batch, and a plain-text body that renders one
      const batch = { messages: [{ ...MAIL, body: "Hi,\n{% render 'footer' %}", data }] }
      expect((await mailed('/v1/send/batch', batch)).html).toContain('Hi,<br>\n<p>Acme GmbH, Berlin</p>')
      const email = (await ask('GET', '/emails?limit=1')).body.data[0].id
      expect((await ask('GET', `/emails/${email}`)).body.body).toContain('Acme GmbH, Berlin')
    })

    it('give their values to the snippet alone, and keep inside what it assigns', async () => {
      const { snippet, shown } = await fresh()
      await snippet('inner', '[{{ title }}|{{ name }}]')
      await snippet('card', "{{ title }}/{{ n }}/{{ name }}{% assign name = 'changed' %}{{ name }}{% render 'inner' %}")
      const data = { title: 'own', name: 'Ada', list: ['a', 'b'], 'n.x': 1 }
      const cases: readonly (readonly [body: string, html: string])[] = [
        [
          "{% render 'card', title: name, n: 3 %}|{{ title }}|{{ name }}|{{ n }}",
          'Ada/3/Adachanged[Ada|changed]|own|Ada|',
        ],
        ['{% render \'card\' title: "<b>" %}{{ name }}', '&lt;b&gt;//Adachanged[&lt;b&gt;|changed]Ada'],
        ["{% for x in list %}{% render 'inner', title: x %}{% endfor %}", '[a|Ada][b|Ada]'],
        ["{% assign title = 'set' %}{% render 'inner' %}", '[set|Ada]'],
        ["a  {%- render 'inner' -%}  b", 'a[own|Ada]b'],
        ["{% raw %}{% render 'none' %}{% endraw %}", "{% render 'none' %}"],
        ['{% render &quot;inner&quot;,&nbsp;title: “x” %}', '[x|Ada]'],
      ]
      for (const [body, html] of cases) expect((await shown(body, data)).html, body).toBe(html)
    })

    it('are refused where they cannot be rendered, with the place', async () => {
      const { ask, snippet } = await fresh()
      await snippet('footer', FOOTER)
      const cases: readonly (readonly [body: string, message: RegExp])[] = [
        ["<p>\n  {% render 'none' %}", /there is no snippet "none" \(line 2, column 3\)/],
        ['{% render name %}', /name of a snippet in quotes.*line 1, column 1/],
        ["{% include 'footer' %}", /include reads files.*\{% render 'name' %\}/],
        ["x{% render 'footer' with a %}", /knows no "with".*column 2/],
        ["{% render 'footer', title: a | upcase %}", /without filters/],
        ["{% render 'footer', title %}", /value of "title" is missing/],
        ["{% liquid\n render 'footer' %}", /a separate tag/],
        ["{% render 'footer' %}\n{{ a", /line 2, column 1/],
      ]
      for (const [body, message] of cases) {
        const asked = [
          await ask('POST', '/templates', { json: { ...TEMPLATE, body } }),
          await ask('POST', '/campaigns', { json: { ...MAIL, name: 'N', audienceType: 'ALL', body } }),
          await ask('POST', '/snippets', { json: { name: 'new', body } }),
          await ask('POST', '/layouts', { json: { name: 'new', body: `${body}` } }),
          await ask('POST', '/templates/render', { json: { body } }),
          await ask('POST', '/v1/send', { json: { ...MAIL, body } }),
        ]
        for (const answer of asked) {
          expectEnvelope(answer, 422, 'VALIDATION_ERROR', { body: 'custom' })
          expect(answer.body.error.errors[0].message, body).toMatch(message)
        }
      }
      for (const change of [{ subject: "{% render 'footer' %}" }, { preheader: "{% render 'footer' %}" }]) {
        const answer = await ask('POST', '/templates', { json: { ...TEMPLATE, body: 'x', ...change } })
        expect(answer.body.error.errors[0].message).toMatch(/HTML bodies only.*line 1, column 1/)
      }
      const text = await ask('POST', '/v1/send', { json: { ...MAIL, text: "{% render 'footer' %}" } })
      expect(text.body.message).toMatch(/text.*HTML bodies only/)
      expect((await ask('GET', '/templates')).body.total).toBe(0)
    })

    it('stand in each other 5 deep, in no circle, and come to no more than is bounded', async () => {
      const { ask, snippet } = await fresh()
      const made = [await snippet('s1', 'x')]
      for (let n = 2; n <= 5; n++) made.push(await snippet(`s${n}`, `{% render 's${n - 1}' %}`))
      const change = (n: number, body: string) => ask('PATCH', `/snippets/${made[n - 1].id}`, { json: { body } })
      const refused = (answer: Awaited<ReturnType<typeof ask>>, code: string, message: string) => {
        expectEnvelope(answer, 422, 'VALIDATION_ERROR', { body: code })
        expect(answer.body.error.errors[0].message).toContain(message)
      }
      const sixth = { name: 's6', body: "{% render 's5' %}" }
      refused(await ask('POST', '/snippets', { json: sixth }), 'too_big', '5 deep, not s6 → s5 → s4 → s3 → s2 → s1')
      refused(await change(1, "{% render 's3' %}"), 'custom', 'circle of snippets: s1 → s3 → s2 → s1')
      refused(await change(1, "{% render 's1' %}"), 'custom', 'circle of snippets: s1 → s1')
      const itself = { name: 'self', body: "{% render 'self' %}" }
      refused(await ask('POST', '/snippets', { json: itself }), 'custom', 'circle of snippets: self → self')
      // one below others may not make them too deep
      await snippet('low', 'x')
      refused(await change(1, "{% render 'low' %}"), 'too_big', '5 deep, not s5 → s4 → s3 → s2 → s1 → low')
      // a thousand of them fit, one more does not
      const times = (name: string, count: number) => `{% render '${name}' %}`.repeat(count)
      expect((await change(2, times('s1', 31))).status).toBe(200)
      expect((await change(3, times('s2', 31))).status).toBe(200)
      refused(await change(4, times('s3', 2)), 'too_big', 'at most 1000 snippets')
      expect((await change(2, times('s1', 1))).status).toBe(200)
      const body = times('s1', 1000)
      expect((await ask('POST', '/templates/render', { json: { body } })).body.html).toBe('x'.repeat(1000))
      refused(await ask('POST', '/templates/render', { json: { body: `${body}{% render 's1' %}` } }), 'too_big', '1000')
      // nor more than 2 MB in all
      await snippet('big', 'y'.repeat(100_000))
      expect((await change(3, times('big', 20))).status).toBe(200)
      refused(await change(3, times('big', 21)), 'too_big', 'at most 2 MB')
      refused(await change(4, times('s3', 2)), 'too_big', 'at most 2 MB')
      refused(await ask('POST', '/templates/render', { json: { body: times('big', 21) } }), 'too_big', 'at most 2 MB')
    })

    it('stay while something uses them, which their usage lists', async () => {
      const { ask, post, snippet } = await fresh()
      const footer = await snippet('footer', FOOTER)
      const body = "<p>Hi</p>{% render 'footer' %}"
      const inner = await snippet('below', body)
      const frame = await post('/layouts', { name: 'Brand', body: `${body}{{ content }}` })
      const template = await post('/templates', { ...TEMPLATE, body, layoutId: frame.id })
      const campaign = (
        await post('/campaigns', { ...MAIL, name: 'News', audienceType: 'ALL', body, layoutId: frame.id })
      ).data
      const workflow = await post('/workflows', { name: 'Flow', eventName: 'joined' })
      const step = { type: 'SEND_EMAIL', config: { subject: 'Hi', body, from: 'hello@example.com' } }
      const { id: stepId } = await post(`/workflows/${workflow.id}/steps`, step)
      await post('/templates', { ...TEMPLATE, body: 'no footer, nothing to render' })
      const named = ({ id, name }: { id: string; name: string }) => [{ id, name }]
      expect((await ask('GET', `/snippets/${footer.id}/usage`)).body).toEqual({
        templates: named(template),
        campaigns: named(campaign),
        snippets: named(inner),
        layouts: named(frame),
        workflows: [{ id: workflow.id, name: 'Flow', stepId }],
      })
      expect((await ask('GET', `/layouts/${frame.id}/usage`)).body).toEqual({
        ...{ templates: named(template), campaigns: named(campaign), snippets: [], layouts: [], workflows: [] },
      })
      const where =
        'is used by the template "Welcome", the campaign "News", the snippet "below", the layout "Brand", the workflow "Flow".'
      const gone = await ask('DELETE', `/snippets/${footer.id}`)
      expectEnvelope(gone, 409, 'CONFLICT')
      expect(gone.body.error.message).toBe(`The snippet "footer" ${where}`)
      const renamed = await ask('PATCH', `/snippets/${footer.id}`, { json: { name: 'foot' } })
      expect({ status: renamed.status, message: renamed.body.error.message }).toMatchObject({
        status: 409,
        message: gone.body.error.message,
      })
      expect((await ask('DELETE', `/layouts/${frame.id}`)).body.error.message).toBe(
        'The layout "Brand" is used by the template "Welcome", the campaign "News".',
      )
      // once nothing needs them they go
      const { config } = (
        await ask('PATCH', `/workflows/${workflow.id}/steps/${stepId}`, {
          json: { config: { ...step.config, body: 'x' } },
        })
      ).body
      expect(config.body).toBe('x')
      for (const path of [
        `/snippets/${inner.id}`,
        `/templates/${template.id}`,
        `/campaigns/${campaign.id}`,
        `/layouts/${frame.id}`,
      ])
        expect((await ask('DELETE', path)).status).toBe(204)
      expect((await ask('PATCH', `/snippets/${footer.id}`, { json: { name: 'foot' } })).body.name).toBe('foot')
      expect((await ask('DELETE', `/snippets/${footer.id}`)).status).toBe(204)
    })

    it('change nothing of mail that was accepted and of a campaign that began', async () => {
      const { ask, post, snippet, mailed } = await fresh()
      const footer = await snippet('footer', 'first')
      const body = "<p>{% render 'footer' %}</p>"
      const template = await post('/templates', { ...TEMPLATE, body })
      const later = new Date(Date.now() + 86_400_000).toISOString()
      const send = { to: 'ada@example.org', template: template.id }
      const accepted = (await post('/v1/send', { ...send, scheduledFor: later })).data.emails[0].email
      await post('/contacts', { email: 'reader@example.org' })
      const campaign = (await post('/campaigns', { ...MAIL, name: 'News', audienceType: 'ALL', body })).data
      const second = (await post(`/campaigns/${campaign.id}/duplicate`, {})).id
      const letter = await mailed(`/campaigns/${campaign.id}/send`, {})
      expect(letter.html).toContain('<p>first</p>')
      expect((await ask('PATCH', `/snippets/${footer.id}`, { json: { body: 'other' } })).status).toBe(200)
      expect((await ask('GET', `/emails/${accepted}`)).body.body).toContain('<p>first</p>')
      expect((await mailed('/v1/send', send)).html).toContain('<p>other</p>')
      // a step takes what is there when it runs
      const flow = await post('/workflows', { name: 'Flow', eventName: 'joined' })
      await post(`/workflows/${flow.id}/steps`, {
        type: 'SEND_EMAIL',
        config: { subject: 'Hi', body, from: 'hello@example.com' },
      })
      await ask('PATCH', `/workflows/${flow.id}`, { json: { enabled: true } })
      await ask('PATCH', `/snippets/${footer.id}`, { json: { body: 'third' } })
      const track = { email: 'joined@example.org', event: 'joined' }
      expect((await mailed('/v1/track', track)).html).toContain('<p>third</p>')
      expect((await mailed(`/campaigns/${second}/send`, {})).html).toContain('<p>third</p>')
    })

    it('count as the way to unsubscribe, so that no footer is added', async () => {
      const { post, snippet, mailed } = await fresh()
      const link = '<p><a href="{{ unsubscribeUrl }}">{{ label }}</a></p>'
      await snippet('out', link)
      const frame = await post('/layouts', { name: 'F', body: `<html><body>{{ content }}${link}</body></html>` })
      for (const json of [
        { body: "<p>Hi</p>{% render 'out' %}" },
        { body: "<p>Hi</p>{% render 'out', label: 'Off' %}" },
        { body: '<p>Hi</p>', layoutId: frame.id },
      ]) {
        const { id } = await post('/templates', { ...TEMPLATE, type: 'MARKETING', ...json })
        const { html } = await mailed('/v1/send', {
          to: 'ada@example.org',
          template: id,
          subscribed: true,
          data: { label: 'Bye' },
        })
        expect(html.match(/unsubscribe/g), html).toHaveLength(1)
      }
    })

    it('put the body of a mail into its layout', async () => {
      const { ask, post, snippet, shown, mailed } = await fresh()
      await snippet('footer', FOOTER)
      const body =
        '<html><head><title>T</title></head><body class="b"><h1>Acme</h1>{{ content }}{% render \'footer\' %}</body></html>'
      const frame = await post('/layouts', { name: 'Brand', body })
      const layoutId = frame.id
      const framed = (inner: string) => `<body class="b"><h1>Acme</h1>${inner}<p>Acme GmbH, Bonn</p></body>`
      const data = { city: 'Bonn', name: 'Ada' }
      const document =
        '<!doctype html><html><head><style>p{color:red}</style></head><body bgcolor="x"><p>{{ name }}</p></body></html>'
      for (const [written, inner] of [
        ['<p>{{ name }}</p>', '<p>Ada</p>'],
        ['Hi\n{{ name }}', 'Hi<br>\nAda'],
        [document, '<style>p{color:red}</style><p>Ada</p>'],
        ['<!doctype html><html><head><title>x</title></head><p>{{ name }}</p></html>', '<p>Ada</p>'],
      ] as const) {
        expect((await shown(written, data, { layoutId })).html).toContain(framed(inner))
      }
      const hidden = (await shown('<p>Hi</p>', data, { layoutId, preheader: 'First' })).html
      expect(hidden).toMatch(/<body class="b"><div data-preheader[^>]*>First.*<\/div><h1>/)
      // a request's own layout wins over the template's; a campaign takes over that of its template
      const template = await post('/templates', { ...TEMPLATE, body: '<p>{{ name }}</p>', layoutId })
      expect(template.layoutId).toBe(layoutId)
      const plain = (await post('/layouts', { name: 'Plain', body: '<i>{{ content }}</i>' })).id
      const send = { to: 'ada@example.org', template: template.id, data }
      expect((await mailed('/v1/send', send)).html).toContain(framed('<p>Ada</p>'))
      expect((await mailed('/v1/send', { ...send, layoutId: plain })).html).toContain('<i><p>Ada</p></i>')
      expect((await mailed('/v1/send', { ...MAIL, layoutId: plain })).html).toContain(`<i>${MAIL.body}</i>`)
      expectEnvelope(
        await ask('POST', '/v1/send', { json: { ...MAIL, layoutId: UNKNOWN_ID } }),
        404,
        'LAYOUT_NOT_FOUND',
      )
      await post('/contacts', { email: 'reader@example.org', data })
      const campaign = (await post('/campaigns', { name: 'N', template: template.id, audienceType: 'ALL' })).data
      const at = `/campaigns/${campaign.id}`
      expect((await ask('GET', at)).body).toMatchObject({ layoutId })
      expect((await ask('POST', `${at}/preview`)).body.sample.html).toContain('<h1>Acme</h1><p>Ada</p>')
      expect((await ask('PUT', at, { json: { layoutId: plain } })).body.layoutId).toBe(plain)
      expect((await ask('PUT', at, { json: { layoutId: null } })).body).not.toHaveProperty('layoutId')
      expect((await ask('PATCH', `/templates/${template.id}`, { json: { layoutId: null } })).body).not.toHaveProperty(
        'layoutId',
      )
      const unknown = { json: { layoutId: UNKNOWN_ID } }
      expectEnvelope(await ask('PUT', at, unknown), 404, 'LAYOUT_NOT_FOUND')
      expectEnvelope(await ask('PATCH', `/templates/${template.id}`, unknown), 404, 'LAYOUT_NOT_FOUND')
    })

    it('refuse a layout without exactly one place for the content', async () => {
      const { ask } = await fresh()
      const cases: readonly (readonly [body: string, message: RegExp])[] = [
        ['<p>x</p>', /must have \{\{ content \}\} once/],
        ['{{ content }}\n{{ content }}', /more than once \(line 2, column 1\)/],
        ['{{ content | raw }}', /only \{\{ content \}\} can name/],
        ['{% if content %}{{ content }}{% endif %}', /only \{\{ content \}\} can name/],
        ['{% if name %}{{ content }}{% endif %}', /condition or a loop/],
        ['{% for a in b %}{{ content }}{% endfor %}', /condition or a loop/],
        ['<a title="{{ content }}">x</a>', /in the text of the body/],
        ['<!-- {{ content }} -->', /in the text of the body/],
        ['<style>{{ content }}</style>', /in the text of the body/],
        ['<html><head><title>{{ content }}</title></head><body></body></html>', /in the text of the body/],
        ['{% raw %}{{ content }}{% endraw %}', /must have \{\{ content \}\} once/],
      ]
      for (const [body, message] of cases) {
        const answer = await ask('POST', '/layouts', { json: { name: 'L', body } })
        expectEnvelope(answer, 422, 'VALIDATION_ERROR', { body: 'custom' })
        expect(answer.body.error.errors[0].message, body).toMatch(message)
      }
      const long = { name: 'L', body: `{{content}}${'x'.repeat(100_000 - 11)}` }
      expect((await ask('POST', '/layouts', { json: long })).status).toBe(201)
      const longer = { ...long, body: `${long.body}x` }
      expectEnvelope(await ask('POST', '/layouts', { json: longer }), 422, 'VALIDATION_ERROR', { body: 'too_big' })
    })
  })
}
