import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const TEMPLATE = { name: 'Welcome', subject: 'Hi {{ name }}', body: '<p>Hi {{ name }}</p>', type: 'TRANSACTIONAL' }

for (const store of [QUICK]) {
  describe(`templates on ${store.name}`, () => {
    let test: TestApp
    const make = (change: object = {}, key = SECRET) =>
      test.ask('POST', '/templates', { json: { ...TEMPLATE, ...change }, key })
    const change = (id: string, json: object, key = SECRET) => test.ask('PATCH', `/templates/${id}`, { json, key })
    const total = async () => (await test.ask('GET', '/templates')).body.total

    beforeAll(async () => {
      test = await testApp(store)
    })

    it('are made with 201, and leave out what they were not given', async () => {
      const { status, body } = await make()
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          ...{ ...TEMPLATE, slug: 'welcome', version: 1, id: expect.any(String) },
          createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          updatedAt: body.createdAt,
        },
      })
      expect((await test.ask('GET', `/templates/${body.id}`)).body).toEqual(body)
    })

    it('keep a sender, a reply address and a description', async () => {
      const more = { description: 'D', from: 'Me@Example.com', fromName: 'Me', replyTo: 'r@other.example' }
      const { body } = await make({ ...more, type: 'MARKETING', name: '  Padded ' })
      expect(body).toMatchObject({ ...more, from: 'me@example.com', type: 'MARKETING', name: 'Padded' })
    })

    it('are changed field by field; null takes an optional field away', async () => {
      const { body } = await make({ from: 'me@example.com', fromName: 'Me' })
      const changed = await change(body.id, { subject: 'New', from: null })
      expect(changed.status).toBe(200)
      expect(changed.body).toMatchObject({ ...TEMPLATE, id: body.id, subject: 'New', fromName: 'Me' })
      expect(changed.body).not.toHaveProperty('from')
      expect(changed.body.createdAt).toBe(body.createdAt)
      expect((await test.ask('GET', `/templates/${body.id}`)).body).toEqual(changed.body)
    })

    it('keep the design their body was made from until the body is changed without it', async () => {
      const design = { version: 1, content: [{ type: 'paragraph', text: '{{ name | default: "you" }}' }] }
      const { body } = await make({ design })
      expect(body.design).toEqual(design)
      const [listed] = (await test.ask('GET', '/templates?pageSize=1')).body.templates
      expect(listed).toMatchObject({ id: body.id, body: TEMPLATE.body })
      expect(listed).not.toHaveProperty('design')
      expect((await test.ask('POST', `/templates/${body.id}/duplicate`)).body.design).toEqual(design)
      expect((await change(body.id, { subject: 'New', body: TEMPLATE.body })).body.design).toEqual(design)
      expect((await change(body.id, { body: '<p>By hand</p>' })).body).not.toHaveProperty('design')
      const drawn = await change(body.id, { body: '<p>Drawn</p>', design: { version: 2 } })
      expect(drawn.body).toMatchObject({ body: '<p>Drawn</p>', design: { version: 2 } })
      expect((await change(body.id, { design: null })).body).not.toHaveProperty('design')
      for (const [wrong, fields] of [
        [{ design }, { body: 'required' }],
        [{ body: 'B', design: [] }, { design: 'invalid_type' }],
        [{ body: 'B', design: 'x' }, { design: 'invalid_type' }],
        [{ body: 'B', design: { x: 'x'.repeat(500 * 1024) } }, { design: 'too_big' }],
      ] as const) {
        expectEnvelope(await change(body.id, wrong), 422, 'VALIDATION_ERROR', fields)
      }
    })

    it('have a preheader, which is hidden before the body and is not in the text', async () => {
      const preheader = 'News for {{ name | default: "you" }} & <all>'
      const { body } = await make({ preheader })
      expect(body.preheader).toBe(preheader)
      expect((await change(body.id, { preheader: null })).body).not.toHaveProperty('preheader')
      expectEnvelope(await change(body.id, { preheader: '{{ a' }), 422, 'VALIDATION_ERROR', {
        preheader: 'custom',
      })
      for (const [written, before] of [
        ['<html><body class="x"><p>Hi</p></body></html>', '<html><body class="x">'],
        ['Hi,\nyou', ''],
      ] as const) {
        const json = { preheader, body: written, data: { name: 'Ada & Bob' } }
        const shown = (await test.ask('POST', '/templates/render', { json })).body
        const hidden = '<div data-preheader style="display:none;max-height:0;overflow:hidden;mso-hide:all">'
        expect(shown.html).toContain(`${before}${hidden}News for Ada &amp; Bob &amp; &lt;all&gt;&#8199;`)
        expect(shown.html).toMatch(/<\/div>(?:<p>Hi<\/p>|Hi,<br>\n?you)/)
        expect(shown.text).toMatch(/^Hi/)
      }
    })

    it('have a slug that is made from their name, and stays when the name changes', async () => {
      const slugs = async (name: string) => (await make({ name })).body.slug
      expect([await slugs('Größe & Co'), await slugs('groesse – CO'), await slugs('GRÖSSE CO!')]).toEqual([
        'große-co',
        'groesse-co',
        'grosse-co',
      ])
      expect([await slugs('Привет'), await slugs('привет'), await slugs('🎉')]).toEqual(['привет', 'привет-2', '1f389'])
      expect(await slugs(UNKNOWN_ID)).toBe(`template-${UNKNOWN_ID}`)
      const [long, again] = [await slugs(`${'x'.repeat(99)} y`), await slugs('x'.repeat(255))]
      expect([long, again]).toEqual(['x'.repeat(99), 'x'.repeat(100)])
      expect(await slugs('x'.repeat(200))).toBe(`${'x'.repeat(98)}-2`)
      const { body } = await make({ name: 'Letter' })
      expect((await change(body.id, { name: 'Other' })).body).toMatchObject({ name: 'Other', slug: 'letter' })
      const copy = (await test.ask('POST', `/templates/${body.id}/duplicate`)).body
      expect(copy.slug).toBe('other-copy')
      const named = await test.ask('POST', `/templates/${body.id}/duplicate`, { json: { name: ' Kurz ' } })
      expect(named.body).toMatchObject({ name: 'Kurz', slug: 'kurz' })
      expect((await test.ask('POST', `/templates/${body.id}/duplicate`)).body.slug).toBe('other-copy-2')
      expect((await change(body.id, { slug: null })).body).not.toHaveProperty('slug')
      expect((await change(copy.id, { slug: 'letter' })).body.slug).toBe('letter')
    })

    it('get the end of their id behind the slug once its numbers up to 100 are taken', async () => {
      const made = []
      for (let i = 0; i < 101; i++) made.push((await make({ name: 'Many' })).body)
      expect(made.slice(98).map(({ slug }) => slug)).toEqual(['many-99', 'many-100', `many-${made[100].id.slice(-12)}`])
    })

    it('answer to their slug where a template is named, and to nobody else’s', async () => {
      const { body } = await make({ slug: 'order-shipped', from: 'me@example.com' })
      const read = (slug: string, key = SECRET) => test.ask('GET', `/templates/${slug}`, { key })
      expect((await read('order-shipped')).body).toEqual(body)
      expect((await test.ask('GET', '/templates/order-shipped/usage')).body.emailsSent).toBe(0)
      const send = (template: string, key = SECRET) =>
        test.ask('POST', '/v1/send', { json: { to: 'a@example.org', from: 'me@example.com', template }, key })
      expect((await send('order-shipped')).status).toBe(200)
      expect((await test.ask('GET', '/templates/order-shipped/usage')).body.emailsSent).toBe(1)
      for (const unknown of ['order-shippe', 'Order-Shipped', '', 'x'.repeat(101)]) {
        const refusal = await send(unknown)
        expectEnvelope(refusal, 404, 'TEMPLATE_NOT_FOUND')
        expect(refusal.body.error.message).toContain(`template ${unknown}.`)
      }
      expectEnvelope(await send('order-shipped', OTHER_SECRET), 404, 'TEMPLATE_NOT_FOUND')
      expectEnvelope(await read('order-shipped', OTHER_SECRET), 404, 'TEMPLATE_NOT_FOUND')
      const campaign = { name: 'C', template: 'order-shipped', audienceType: 'ALL' }
      expect((await test.ask('POST', '/campaigns', { json: campaign })).body.data.templateId).toBe(body.id)
    })

    it('refuse a slug that another has, on both ways to give it', async () => {
      const { body } = await make({ slug: 'taken' })
      const other = (await make({ slug: 'free' })).body
      for (const refusal of [await make({ slug: 'taken' }), await change(other.id, { slug: 'taken' })]) {
        expectEnvelope(refusal, 409, 'CONFLICT', { slug: 'custom' })
      }
      expect((await change(body.id, { slug: 'taken', subject: 'New' })).status).toBe(200)
      expect((await make({ slug: 'taken' }, OTHER_SECRET)).status).toBe(201)
    })

    it('are deleted with 204', async () => {
      const { body } = await make()
      const gone = await test.ask('DELETE', `/templates/${body.id}`)
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
      expectEnvelope(await test.ask('GET', `/templates/${body.id}`), 404, 'TEMPLATE_NOT_FOUND')
      expectEnvelope(await test.ask('DELETE', `/templates/${body.id}`), 404, 'TEMPLATE_NOT_FOUND')
    })

    it('are copied with 201, without a body, with an empty one and with {}, whatever its type', async () => {
      const { body } = await make({ name: 'Source', from: 'me@example.com' })
      const bodies = [{}, { raw: '' }, { json: {} }, { raw: '{}', headers: { 'content-type': 'text/plain' } }]
      for (const options of bodies) {
        const copy = await test.ask('POST', `/templates/${body.id}/duplicate`, options)
        expect(copy.status).toBe(201)
        expect(copy.body).toMatchObject({ name: 'Source (Copy)', subject: TEMPLATE.subject, from: 'me@example.com' })
        expect(copy.body.id).not.toBe(body.id)
        expect((await test.ask('GET', `/templates/${copy.body.id}`)).body).toEqual(copy.body)
      }
    })

    it('are copied under a name that is cut between two characters, not within one', async () => {
      const { body } = await make({ name: `${'x'.repeat(247)}🙂🙂` })
      const copy = await test.ask('POST', `/templates/${body.id}/duplicate`)
      expect({ status: copy.status, name: copy.body.name }).toEqual({
        status: 201,
        name: `${'x'.repeat(247)} (Copy)`,
      })
    })

    it('tell where they are used and how many mails were made of them', async () => {
      const { body } = await make({ from: 'me@example.com' })
      const usage = () => test.ask('GET', `/templates/${body.id}/usage`)
      expect((await usage()).body).toEqual({ campaigns: [], workflows: [], emailsSent: 0 })
      const json = { to: ['a@example.org', 'b@example.org'], template: body.id }
      expect((await test.ask('POST', '/v1/send', { json })).status).toBe(200)
      expect((await usage()).body).toEqual({ campaigns: [], workflows: [], emailsSent: 2 })
    })

    it.each([
      ['no name', { name: undefined }, { name: 'required' }],
      ['an empty name', { name: '' }, { name: 'too_small' }],
      ['an empty slug', { slug: ' ' }, { slug: 'too_small' }],
      ['a slug of 101 characters', { slug: 's'.repeat(101) }, { slug: 'too_big' }],
      ['a slug in capitals', { slug: 'Welcome' }, { slug: 'invalid_string' }],
      ['a slug with a space', { slug: 'a b' }, { slug: 'invalid_string' }],
      ['a slug with two hyphens', { slug: 'a--b' }, { slug: 'invalid_string' }],
      ['a slug like an id', { slug: UNKNOWN_ID }, { slug: 'invalid_string' }],
      ['a name of spaces', { name: '   ' }, { name: 'too_small' }],
      ['a name of 256 characters', { name: 'n'.repeat(256) }, { name: 'too_big' }],
      ['no subject', { subject: undefined }, { subject: 'required' }],
      ['an empty subject', { subject: '' }, { subject: 'too_small' }],
      ['a subject of 999 characters', { subject: 's'.repeat(999) }, { subject: 'too_big' }],
      ['a line break in the subject', { subject: 'a\r\nBcc: x' }, { subject: 'header_injection' }],
      ['NUL in the subject', { subject: 'a\0' }, { subject: 'header_injection' }],
      ['no body', { body: undefined }, { body: 'required' }],
      ['an empty body', { body: '' }, { body: 'too_small' }],
      ['NUL in the body', { body: 'a\0' }, { body: 'invalid_string' }],
      ['half a surrogate pair in the body', { body: 'a\ud83d' }, { body: 'invalid_string' }],
      ['no type', { type: undefined }, { type: 'required' }],
      ['an unknown type', { type: 'BULK' }, { type: 'invalid_enum_value' }],
      ['a bad sender', { from: 'me' }, { from: 'invalid_string' }],
      ['two addresses as sender', { from: 'a@example.com>,<c@d.example' }, { from: 'invalid_string' }],
      ['a line break in the sender name', { fromName: 'a\nb' }, { fromName: 'header_injection' }],
      ['a bad reply address', { replyTo: 'x' }, { replyTo: 'invalid_string' }],
      ['a body that does not parse', { body: '{% if a %}' }, { body: expect.any(String) }],
      ['a subject that does not parse', { subject: '{% for %}' }, { subject: expect.any(String) }],
    ])('are refused with 422 and %s, when made and when changed', async (_what, json, fields) => {
      const before = await total()
      expectEnvelope(await make(json), 422, 'VALIDATION_ERROR', fields)
      expect(await total()).toBe(before)
      const [[, value] = []] = Object.entries(json)
      if (value === undefined) return
      const { body } = await make()
      expectEnvelope(await change(body.id, json), 422, 'VALIDATION_ERROR', fields)
      expect((await test.ask('GET', `/templates/${body.id}`)).body).toEqual(body)
    })

    it('are told every placeholder that does not parse at once, each with its line and column', async () => {
      const wrong = { subject: 'Hi {{ name', body: '<p>\n  {{ x | nope }}</p>' }
      const render = test.ask('POST', '/templates/render', { json: wrong })
      for (const answer of [await make(wrong), await render]) {
        expectEnvelope(answer, 422, 'VALIDATION_ERROR', { subject: 'custom', body: 'custom' })
        const said = answer.body.error.errors.map(({ message }: { message: string }) => message)
        expect(said).toEqual([
          expect.stringContaining('(line 1, column 4)'),
          expect.stringContaining('(line 2, column 3)'),
        ])
      }
    })

    it('are refused with 403 when their sender is of a domain that is not verified', async () => {
      const before = await total()
      expectEnvelope(await make({ from: 'me@other.example' }), 403, 'DOMAIN_NOT_VERIFIED')
      expect(await total()).toBe(before)
      const { body } = await make()
      expectEnvelope(await change(body.id, { from: 'me@other.example' }), 403, 'DOMAIN_NOT_VERIFIED')
    })

    it.each([
      ['an unknown id', UNKNOWN_ID],
      ['no id and no slug', 'no-such-slug'],
      ['NUL', '%00'],
      ['broken escapes', '%E0%A4%A'],
    ])('answer 404 for %s on every endpoint', async (_what, id) => {
      const asked = [
        test.ask('GET', `/templates/${id}`),
        change(id, { name: 'x' }),
        test.ask('DELETE', `/templates/${id}`),
        test.ask('POST', `/templates/${id}/duplicate`),
        test.ask('GET', `/templates/${id}/usage`),
      ]
      for (const answer of await Promise.all(asked)) expectEnvelope(answer, 404, 'TEMPLATE_NOT_FOUND')
    })

    it('of another project are not there', async () => {
      const { body } = await make()
      const key = OTHER_SECRET
      const theirs = (await test.ask('GET', '/templates', { key })).body.total
      const asked = [
        test.ask('GET', `/templates/${body.id}`, { key }),
        change(body.id, { name: 'x' }, key),
        test.ask('DELETE', `/templates/${body.id}`, { key }),
        test.ask('POST', `/templates/${body.id}/duplicate`, { key }),
        test.ask('GET', `/templates/${body.id}/usage`, { key }),
      ]
      for (const answer of await Promise.all(asked)) expectEnvelope(answer, 404, 'TEMPLATE_NOT_FOUND')
      expect((await test.ask('GET', `/templates/${body.id}`)).body.name).toBe('Welcome')
      expect((await test.ask('GET', '/templates', { key })).body.total).toBe(theirs)
    })

    it('of a disabled project can be read, not written', async () => {
      const key = DISABLED_SECRET
      expectEnvelope(await make({}, key), 403, 'PROJECT_DISABLED')
      expectEnvelope(await change(UNKNOWN_ID, {}, key), 403, 'PROJECT_DISABLED')
      expectEnvelope(await test.ask('DELETE', `/templates/${UNKNOWN_ID}`, { key }), 403, 'PROJECT_DISABLED')
      expectEnvelope(await test.ask('POST', `/templates/${UNKNOWN_ID}/duplicate`, { key }), 403, 'PROJECT_DISABLED')
      expect((await test.ask('GET', '/templates', { key })).status).toBe(200)
    })

    it('refuse public keys', async () => {
      expectEnvelope(await test.ask('GET', '/templates', { key: PUBLIC }), 403, 'FORBIDDEN')
      expectEnvelope(await make({}, PUBLIC), 403, 'FORBIDDEN')
    })
  })

  describe(`GET /templates on ${store.name}`, () => {
    let test: TestApp
    const list = async (query: string) => (await test.ask('GET', `/templates${query}`)).body
    const names = (body: { templates: { name: string }[] }) => body.templates.map(({ name }) => name)

    beforeAll(async () => {
      test = await testApp(store)
      for (let i = 1; i <= 5; i++) {
        const type = i % 2 ? 'MARKETING' : 'TRANSACTIONAL'
        await test.ask('POST', '/templates', { json: { ...TEMPLATE, name: `T${i}`, subject: `Subject ${i}`, type } })
      }
    })

    it('numbers its pages, by pageSize or limit', async () => {
      expect(await list('')).toMatchObject({
        total: 5,
        page: 1,
        pageSize: 20,
        totalPages: 1,
        cursor: null,
        hasMore: false,
      })
      const second = await list('?page=2&pageSize=2')
      expect(second).toMatchObject({ total: 5, page: 2, pageSize: 2, totalPages: 3, hasMore: true })
      expect(names(second)).toEqual(['T3', 'T2'])
      expect(names(await list('?page=3&limit=2'))).toEqual(['T1'])
      expect(await list('?page=9&limit=2')).toMatchObject({ templates: [], total: 5, hasMore: false, cursor: null })
    })

    it('goes on from a cursor', async () => {
      const first = await list('?limit=2')
      const second = await list(`?limit=2&cursor=${first.cursor}`)
      const third = await list(`?limit=2&cursor=${second.cursor}`)
      expect([first, second, third].flatMap(names)).toEqual(['T5', 'T4', 'T3', 'T2', 'T1'])
      expect(third).toMatchObject({ cursor: null, hasMore: false })
    })

    it('picks by type and searches name and subject', async () => {
      expect(names(await list('?type=TRANSACTIONAL'))).toEqual(['T4', 'T2'])
      expect(names(await list('?search=t3'))).toEqual(['T3'])
      expect(names(await list('?search=SUBJECT%205'))).toEqual(['T5'])
      expect(await list('?search=%25')).toMatchObject({ templates: [], total: 0, totalPages: 0 })
    })

    it.each([
      ['?limit=0', 'limit', 'too_small'],
      ['?limit=101', 'limit', 'too_big'],
      ['?pageSize=101', 'pageSize', 'too_big'],
      ['?page=0', 'page', 'too_small'],
      ['?page=x', 'page', 'invalid_type'],
      ['?type=BULK', 'type', 'invalid_enum_value'],
    ])('refuses %s with 422', async (query, field, code) => {
      expectEnvelope(await test.ask('GET', `/templates${query}`), 422, 'VALIDATION_ERROR', { [field]: code })
    })

    it('refuses a damaged cursor with 400', async () => {
      expectEnvelope(await test.ask('GET', '/templates?cursor=x'), 400, 'BAD_REQUEST')
    })
  })
}
