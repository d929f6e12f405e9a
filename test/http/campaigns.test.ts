import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const CAMPAIGN = {
  name: 'News',
  subject: 'Hi {{ name }}',
  body: '<p>Hi {{ name }}</p>',
  from: 'hello@example.com',
  audienceType: 'ALL',
}
const PRO = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }
const NO_FIGURES = {
  ...{
    totalRecipients: 0,
    queued: 0,
    sent: 0,
    delivered: 0,
    toFolder: 0,
    opened: 0,
    clicked: 0,
    bounced: 0,
    complained: 0,
  },
  ...{ unsubscribed: 0, replied: 0, failed: 0, sentCount: 0, deliveredCount: 0, openedCount: 0, clickedCount: 0 },
  ...{ bouncedCount: 0, complainedCount: 0, unsubscribedCount: 0, failedCount: 0 },
}

for (const store of [STRICT]) {
  describe(`campaigns on ${store.name}`, () => {
    let test: TestApp
    const make = (change: object = {}, key = SECRET) =>
      test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, ...change }, key })
    const made = async (change: object = {}): Promise<string> => (await make(change)).body.data.id
    const get = async (id: string) => (await test.ask('GET', `/campaigns/${id}`)).body
    const put = (id: string, change: object = {}) =>
      test.ask('PUT', `/campaigns/${id}`, { json: { ...CAMPAIGN, ...change } })
    const total = async () => (await test.ask('GET', '/campaigns')).body.total

    beforeAll(async () => {
      test = await testApp(store)
      await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', data: { name: 'Ada', plan: 'pro' } } })
      await test.ask('POST', '/contacts', { json: { email: 'bob@example.org', data: { name: 'Bob' } } })
    })

    it('are made with 201 as DRAFT, wrapped; read without a wrapper', async () => {
      const { status, body } = await make()
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          success: true,
          data: {
            ...{ ...CAMPAIGN, ...NO_FIGURES, id: expect.any(String), type: 'ALL', status: 'DRAFT' },
            ...{ scheduledAt: null, scheduledFor: null, version: 1 },
            createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
            updatedAt: body.data.createdAt,
          },
        },
      })
      expect(await get(body.data.id)).toEqual(body.data)
    })

    it('keep everything they are given, and ignore the class of their content', async () => {
      const more = { description: 'D', fromName: 'Me', replyTo: 'r@other.example', type: 'MARKETING', name: ' Padded ' }
      const { body } = await make({ ...more, from: 'Me@Example.com' })
      expect(body.data).toMatchObject({ ...more, name: 'Padded', type: 'ALL', from: 'me@example.com' })
    })

    it('take files, header fields and parameters of links, and refuse what a mail cannot carry', async () => {
      const headers = { 'X-Kind': 'news' }
      const id = await made({ headers, utm: { source: 'news', medium: null } })
      expect(await get(id)).toMatchObject({ headers, utm: { source: 'news' } })
      const attach = (file: object) => test.ask('POST', `/campaigns/${id}/attachments`, { json: file })
      const file = { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('one').toString('base64') }
      const { status, body } = await attach(file)
      expect(status).toBe(201)
      const [attached] = body.attachments
      expect(attached).toEqual({
        ...{ id: expect.any(String), filename: 'a.txt', contentType: 'text/plain' },
        ...{ disposition: 'attachment', size: 3 },
      })
      expectEnvelope(await attach({ ...file, content: '%' }), 422, 'VALIDATION_ERROR', { content: 'invalid_string' })
      expectEnvelope(await attach({ ...file, disposition: 'inline' }), 422, 'VALIDATION_ERROR', {
        contentId: 'required',
      })
      const ten = Buffer.alloc(10 * 1024 * 1024 - 2).toString('base64')
      expectEnvelope(await attach({ ...file, content: ten }), 422, 'VALIDATION_ERROR', { content: 'too_big' })
      for (let at = 1; at < 10; at++) expect((await attach(file)).status).toBe(201)
      expectEnvelope(await attach(file), 422, 'VALIDATION_ERROR', { content: 'too_big' })
      // a change of the text leaves the files, and a copy has files of its own
      expect((await put(id, { headers: null, utm: {} })).body).toMatchObject({ utm: {} })
      const copy = (await test.ask('POST', `/campaigns/${id}/duplicate`)).body
      expect(copy.attachments).toHaveLength(10)
      const detach = (each: string) => test.ask('DELETE', `/campaigns/${id}/attachments/${each}`)
      expect((await detach(attached.id)).body.attachments).toHaveLength(9)
      expectEnvelope(await detach(attached.id), 404, 'RESOURCE_NOT_FOUND')
      const gone = await get(id)
      expect([gone.headers, gone.attachments.length]).toEqual([undefined, 9])
      expect((await test.ask('DELETE', `/campaigns/${id}`)).status).toBe(204)
      const preview = await test.ask('POST', `/campaigns/${copy.id}/preview`)
      expect(preview.status).toBe(200)
      const reserved = { headers: { Subject: 'x' }, utm: { source: 'a\nb' } }
      expectEnvelope(await make(reserved), 422, 'VALIDATION_ERROR', {
        'headers.Subject': 'custom',
        'utm.source': 'header_injection',
      })
    })

    it('keep the design of their body, also a template’s, until the body is changed without it', async () => {
      const design = { version: 1, content: ['drawn'] }
      const id = await made({ design })
      expect(await get(id)).toMatchObject({ design })
      const change = async (json: object) => {
        await test.ask('PUT', `/campaigns/${id}`, { json })
        return (await get(id)).design
      }
      expect(await change({ subject: 'New' })).toEqual(design)
      expect(await change({ ...CAMPAIGN, name: 'All of it' })).toEqual(design)
      expect((await test.ask('POST', `/campaigns/${id}/duplicate`)).body.design).toEqual(design)
      expect(await change({ body: '<p>By hand</p>' })).toBeUndefined()
      expect(await change({ body: '<p>Drawn</p>', design })).toEqual(design)
      expect(await change({ ...CAMPAIGN, body: '<p>Drawn</p>', design: null })).toBeUndefined()
      expectEnvelope(await test.ask('PUT', `/campaigns/${id}`, { json: { design } }), 422, 'VALIDATION_ERROR', {
        body: 'required',
      })
      const words = { name: 'T', subject: 'S', body: '<p>T</p>', type: 'MARKETING', design: { of: 'template' } }
      const template = (await test.ask('POST', '/templates', { json: words })).body.id
      const { name, from, audienceType } = CAMPAIGN
      const filled = (await test.ask('POST', '/campaigns', { json: { name, from, audienceType, template } })).body.data
      expect(filled).toMatchObject({ body: '<p>T</p>', design: { of: 'template' } })
      await change({ body: '<p>Drawn</p>', design })
      expect(await change({ template, body: '<p>Drawn</p>' })).toEqual(design)
      await change({ template: null })
      expect(await change({ template })).toEqual({ of: 'template' })
      expect(await change({ template, body: '<p>Other</p>' })).toBeUndefined()
    })

    it('take the preheader of a template with its body, not with another one', async () => {
      const words = { name: 'T', subject: 'S', body: '<p>T</p>', type: 'MARKETING', preheader: 'First words' }
      const template = (await test.ask('POST', '/templates', { json: words })).body.id
      const { name, from, audienceType, body } = CAMPAIGN
      const of = async (json: object) => {
        const made = { name, from, audienceType, template, ...json }
        return (await test.ask('POST', '/campaigns', { json: made })).body.data
      }
      expect(await of({ body })).not.toHaveProperty('preheader')
      expect(await of({ body, preheader: 'Other words' })).toMatchObject({ preheader: 'Other words' })
      const { id, preheader } = await of({})
      expect(preheader).toBe('First words')
      const sample = (await test.ask('POST', `/campaigns/${id}/preview`)).body.sample
      expect(sample.html).toMatch(/^<div data-preheader [^>]*>First words&#8199;.*<\/div><p>T<\/p>/)
      expect(sample.text).toMatch(/^T/)
      await test.ask('PUT', `/campaigns/${id}`, { json: { preheader: null } })
      expect(await get(id)).not.toHaveProperty('preheader')
    })

    it('take subject, body and sender from a template where they have none', async () => {
      const json = {
        name: 'T',
        subject: 'S',
        body: '<b>T</b>',
        type: 'MARKETING',
        from: 't@example.com',
        fromName: 'T',
      }
      const template = (await test.ask('POST', '/templates', { json })).body.id
      const bare = { subject: undefined, body: undefined, from: undefined }
      const whole = await make({ ...bare, template })
      expect(whole.body.data).toMatchObject({
        ...{ subject: 'S', body: '<b>T</b>', from: 't@example.com', fromName: 'T', templateId: template },
      })
      const own = await make({ ...bare, template, subject: 'Own', from: 'own@example.com' })
      expect(own.body.data).toMatchObject({ subject: 'Own', body: '<b>T</b>', from: 'own@example.com' })
      const usage = (await test.ask('GET', `/templates/${template}/usage`)).body
      expect(usage.campaigns.map(({ id }: { id: string }) => id)).toEqual([own.body.data.id, whole.body.data.id])
      expectEnvelope(await test.ask('DELETE', `/templates/${template}`), 409, 'CONFLICT')
    })

    it('keep a filter under both of its names, in either form', async () => {
      const given = await make({ audienceType: 'FILTERED', audienceFilter: PRO })
      expect(given.body.data).toMatchObject({ type: 'FILTERED', audienceFilter: PRO, audienceCondition: PRO })
      const groups = [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }]
      const other = await make({ audienceType: 'FILTERED', audienceCondition: { logic: 'AND', groups } })
      expect(other.body.data.audienceFilter).toEqual({ operator: 'AND', conditions: groups[0]?.filters })
      expect(other.body.data.audienceCondition).toEqual({ logic: 'AND', groups })
      const copied = await test.ask('POST', `/campaigns/${other.body.data.id}/duplicate`)
      expect(copied.body.audienceCondition).toEqual({ logic: 'AND', groups })
      const again = await put(other.body.data.id, other.body.data)
      expect(again).toMatchObject({ status: 200, body: { audienceCondition: { logic: 'AND', groups } } })
    })

    it.each([
      ['no name', { name: undefined }, { name: 'required' }],
      ['an empty name', { name: ' ' }, { name: 'too_small' }],
      ['a name of 256 characters', { name: 'n'.repeat(256) }, { name: 'too_big' }],
      ['no subject', { subject: undefined }, { subject: 'required' }],
      ['an empty subject', { subject: '' }, { subject: 'too_small' }],
      ['a subject of 999 characters', { subject: 's'.repeat(999) }, { subject: 'too_big' }],
      ['a line break in the subject', { subject: 'a\r\nBcc: x' }, { subject: 'header_injection' }],
      ['no body', { body: undefined }, { body: 'required' }],
      ['an empty body', { body: '' }, { body: 'too_small' }],
      ['NUL in the body', { body: 'a\0' }, { body: 'invalid_string' }],
      ['a body that does not parse', { body: '{% if a %}' }, { body: expect.any(String) }],
      ['a subject that does not parse', { subject: '{% for %}' }, { subject: expect.any(String) }],
      ['no sender', { from: undefined }, { from: 'required' }],
      ['a bad sender', { from: 'me' }, { from: 'invalid_string' }],
      ['a line break in the sender name', { fromName: 'a\nb' }, { fromName: 'header_injection' }],
      ['a bad reply address', { replyTo: 'x' }, { replyTo: 'invalid_string' }],
      ['no audience', { audienceType: undefined }, { audienceType: 'required' }],
      ['an unknown audience', { audienceType: 'SOME' }, { audienceType: 'invalid_enum_value' }],
      ['SEGMENT without one', { audienceType: 'SEGMENT' }, { segmentId: 'required' }],
      ['FILTERED without a filter', { audienceType: 'FILTERED' }, { audienceFilter: 'required' }],
      [
        'an unknown operator in the filter',
        {
          audienceType: 'FILTERED',
          audienceFilter: { operator: 'AND', conditions: [{ field: 'email', operator: '?' }] },
        },
        { 'audienceFilter.conditions.0.operator': expect.any(String) },
      ],
      [
        'two filters that differ',
        { audienceType: 'FILTERED', audienceFilter: PRO, audienceCondition: { ...PRO, operator: 'OR' } },
        { audienceCondition: 'custom' },
      ],
      ['ALL with a filter', { audienceFilter: PRO }, { audienceType: 'custom', audienceFilter: 'custom' }],
      [
        'ALL with a filter of Plunk',
        { audienceCondition: PRO },
        { audienceType: 'custom', audienceCondition: 'custom' },
      ],
      ['ALL with a segment', { segmentId: UNKNOWN_ID }, { audienceType: 'custom', segmentId: 'custom' }],
      [
        'FILTERED with a segment',
        { audienceType: 'FILTERED', audienceFilter: PRO, segmentId: UNKNOWN_ID },
        { audienceType: 'custom', segmentId: 'custom' },
      ],
      [
        'SEGMENT with a filter',
        { audienceType: 'SEGMENT', segmentId: UNKNOWN_ID, audienceFilter: PRO },
        { audienceType: 'custom', audienceFilter: 'custom' },
      ],
    ])('are refused with 422 and %s, when made and, but for what may be left out, when changed', async (_what, json, fields) => {
      const before = await total()
      expectEnvelope(await make(json), 422, 'VALIDATION_ERROR', fields)
      expect(await total()).toBe(before)
      const id = await made()
      const isLeftOut = Object.values(json).every((value) => value === undefined)
      if (isLeftOut) expect((await put(id, json)).status).toBe(200)
      else expectEnvelope(await put(id, json), 422, 'VALIDATION_ERROR', fields)
      expect(await get(id)).toMatchObject(CAMPAIGN)
    })

    it('say in which line and column a placeholder does not parse', async () => {
      const { body } = await make({ body: '<p>\n{% if a %}' })
      expect(body.error.errors[0].message).toMatch(/line 2/)
    })

    it.each([
      ['a domain that is not verified', { from: 'me@elsewhere.example' }, 403, 'DOMAIN_NOT_VERIFIED'],
      ['a segment that is not there', { audienceType: 'SEGMENT', segmentId: UNKNOWN_ID }, 404, 'SEGMENT_NOT_FOUND'],
      ['a segment that is no id', { audienceType: 'SEGMENT', segmentId: 'x' }, 404, 'SEGMENT_NOT_FOUND'],
      ['a template that is not there', { template: UNKNOWN_ID }, 404, 'TEMPLATE_NOT_FOUND'],
      ['a template that is no id', { template: 'x' }, 404, 'TEMPLATE_NOT_FOUND'],
    ])('are refused with %s', async (_what, json, status, code) => {
      expectEnvelope(await make(json), status, code)
      expectEnvelope(await put(await made(), json), status, code)
    })

    it("know no other project's segments and templates", async () => {
      const segment = await test.ask('POST', '/segments', { json: { name: 'S', filters: PRO }, key: OTHER_SECRET })
      const json = { name: 'T', subject: 'S', body: 'B', type: 'MARKETING' }
      const template = await test.ask('POST', '/templates', { json, key: OTHER_SECRET })
      const asked = { audienceType: 'SEGMENT', segmentId: segment.body.id }
      expectEnvelope(await make(asked), 404, 'SEGMENT_NOT_FOUND')
      expectEnvelope(await make({ template: template.body.id }), 404, 'TEMPLATE_NOT_FOUND')
    })

    it('are changed by PUT: what is left out stays, null takes an optional field away', async () => {
      const id = await made({ description: 'D', fromName: 'Me', replyTo: 'r@example.org' })
      const change = (json: object) => test.ask('PUT', `/campaigns/${id}`, { json })
      const before = await get(id)
      const renamed = await change({ name: 'Other' })
      expect(renamed.body).toEqual({ ...before, name: 'Other', version: 2, updatedAt: expect.any(String) })
      expect(await get(id)).toEqual(renamed.body)
      const { body } = await change({ audienceType: 'FILTERED', audienceFilter: PRO, description: null, replyTo: null })
      expect(body).toMatchObject({ name: 'Other', fromName: 'Me', type: 'FILTERED', audienceFilter: PRO })
      for (const gone of ['description', 'replyTo']) expect(body).not.toHaveProperty(gone)
      expect((await change({ subject: 'New' })).body).toMatchObject({ subject: 'New', audienceFilter: PRO })
      const another = { ...PRO, operator: 'OR' }
      expect((await change({ audienceFilter: another })).body.audienceFilter).toEqual(another)
      expectEnvelope(await change({ audienceType: 'SEGMENT' }), 422, 'VALIDATION_ERROR', { segmentId: 'required' })
      expect((await change({ audienceType: 'ALL' })).body).not.toHaveProperty('audienceFilter')
      expectEnvelope(await change({ audienceType: 'FILTERED' }), 422, 'VALIDATION_ERROR', {
        audienceFilter: 'required',
      })
    })

    it('are replaced by a PUT with all required fields, and a PUT without one is warned of what it leaves alone', async () => {
      const optional = { description: 'D', fromName: 'Me', replyTo: 'r@example.org' }
      const id = await made({ ...optional, audienceType: 'FILTERED', audienceFilter: PRO })
      const partial = await test.ask('PUT', `/campaigns/${id}`, { json: { subject: 'S', body: 'B' } })
      expect(partial.body).toMatchObject({ ...optional, subject: 'S', type: 'FILTERED', audienceFilter: PRO })
      expect(partial.headers.get('mailwright-warning')).toMatch(/^name: is left out \(and from and audienceType\)/)
      const whole = await put(id, { subject: 'T', audienceType: 'ALL', noSuchKey: 1 })
      expect(whole.headers.get('mailwright-warning')).toBe('noSuchKey: is not a known key and was ignored')
      expect(whole.body).toMatchObject({ subject: 'T', type: 'ALL' })
      for (const gone of [...Object.keys(optional), 'audienceFilter']) expect(whole.body).not.toHaveProperty(gone)
    })

    it('never go to more people than a change names: its filter or segment needs the type of audience it belongs to', async () => {
      const segment = (await test.ask('POST', '/segments', { json: { name: 'Narrow', filters: PRO } })).body.id
      const id = await made()
      const change = (json: object) => test.ask('PUT', `/campaigns/${id}`, { json })
      for (const [json, field] of [
        [{ audienceFilter: PRO }, 'audienceFilter'],
        [{ audienceCondition: PRO }, 'audienceCondition'],
        [{ segmentId: segment }, 'segmentId'],
      ] as const) {
        expectEnvelope(await change(json), 422, 'VALIDATION_ERROR', { audienceType: 'custom', [field]: 'custom' })
      }
      expect(await get(id)).toMatchObject({ type: 'ALL' })
      // nulls, as some clients send for what they do not use, narrow nothing
      expect((await change({ segmentId: null, audienceFilter: null })).status).toBe(200)
      expect((await change({ audienceType: 'SEGMENT', segmentId: segment })).body).toMatchObject({ segmentId: segment })
      expectEnvelope(await change({ audienceFilter: PRO }), 422, 'VALIDATION_ERROR', { audienceType: 'custom' })
      const both = { audienceType: 'FILTERED', audienceFilter: PRO, segmentId: null }
      expect((await change(both)).body).toMatchObject({ type: 'FILTERED', audienceFilter: PRO })
    })

    // catches a change that is computed from what was read before another was stored
    it('keep both of two changes at once', async () => {
      const id = await made()
      const changes = [{ name: 'A' }, { subject: 'B' }, { description: 'C' }]
      await Promise.all(changes.map((json) => test.ask('PUT', `/campaigns/${id}`, { json })))
      expect(await get(id)).toMatchObject({ name: 'A', subject: 'B', description: 'C' })
    })

    it('take the words of another template, and keep their own when it is the same', async () => {
      const template = async (name: string) => {
        const json = { name, subject: name, body: name, type: 'MARKETING', from: `${name}@example.com` }
        return (await test.ask('POST', '/templates', { json })).body.id
      }
      const [one, two] = [await template('one'), await template('two')]
      const id = await made({ template: one, subject: 'Own' })
      expect((await test.ask('PUT', `/campaigns/${id}`, { json: { templateId: one, name: 'N' } })).body).toMatchObject({
        ...{ name: 'N', subject: 'Own', templateId: one },
      })
      const words = { subject: 'two', body: 'two', from: 'two@example.com', templateId: two }
      expect((await test.ask('PUT', `/campaigns/${id}`, { json: { template: two } })).body).toMatchObject(words)
    })

    it('are named where a field, an event and a segment is used', async () => {
      const { id: segmentId } = (await test.ask('POST', '/segments', { json: { name: 'Used', filters: PRO } })).body
      const conditions = [
        { field: 'data.height', operator: 'exists' },
        { field: 'event.seen', operator: 'triggered' },
        { field: `segment.${segmentId}`, operator: 'memberOfSegment' },
      ]
      const filtered = await made({ audienceType: 'FILTERED', audienceFilter: { operator: 'AND', conditions } })
      const usage = async (path: string) => (await test.ask('GET', path)).body
      const users = [{ id: filtered, name: 'News' }]
      expect(await usage('/contacts/fields/data.height/usage')).toMatchObject({ usedInCampaigns: users })
      expect(await usage('/events/seen/usage')).toMatchObject({ canDelete: false })
      expectEnvelope(await test.ask('DELETE', '/contacts/fields/data.height'), 409, 'CONFLICT')
      expectEnvelope(await test.ask('DELETE', '/events/seen'), 409, 'CONFLICT')
      expectEnvelope(await test.ask('DELETE', `/segments/${segmentId}`), 409, 'CONFLICT')
      await test.ask('DELETE', `/campaigns/${filtered}`)
      expect((await test.ask('DELETE', `/segments/${segmentId}`)).status).toBe(204)
      expect(await usage('/contacts/fields/data.height/usage')).toMatchObject({ usedInCampaigns: [] })
    })

    it('are copied with 201 as DRAFT', async () => {
      const id = await made({ description: 'D', audienceType: 'FILTERED', audienceFilter: PRO })
      const { status, body } = await test.ask('POST', `/campaigns/${id}/duplicate`)
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { name: 'News (Copy)', description: 'D', audienceFilter: PRO, status: 'DRAFT' },
      })
      expect(body.id).not.toBe(id)
      expect(await get(body.id)).toEqual(body)
      const named = (name: string) => test.ask('POST', `/campaigns/${id}/duplicate`, { json: { name } })
      expect((await named('x'.repeat(255))).body.name).toHaveLength(255)
      for (const wrong of ['', ' ', 'x'.repeat(256)]) expectEnvelope(await named(wrong), 422, 'VALIDATION_ERROR')
    })

    it('are deleted with 204', async () => {
      const id = await made()
      const gone = await test.ask('DELETE', `/campaigns/${id}`)
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
      expectEnvelope(await test.ask('GET', `/campaigns/${id}`), 404, 'CAMPAIGN_NOT_FOUND')
    })

    it('are listed newest first, by pages and by cursor, by status and by words', async () => {
      const all: string[] = []
      for (let i = 0; i < 3; i++) all.unshift(await made({ name: `L${i}` }))
      const first = (await test.ask('GET', '/campaigns?limit=2')).body
      expect(first.campaigns.map(({ id }: { id: string }) => id)).toEqual(all.slice(0, 2))
      expect(first).toMatchObject({ page: 1, pageSize: 2, hasMore: true, totalPages: Math.ceil(first.total / 2) })
      expect(first.campaigns[0]).toMatchObject({ name: 'L2', type: 'ALL', status: 'DRAFT', scheduledAt: null })
      expect(first.campaigns[0]).not.toHaveProperty('body')
      for (const next of [`cursor=${first.cursor}`, 'page=2']) {
        const { campaigns } = (await test.ask('GET', `/campaigns?limit=2&${next}`)).body
        expect(campaigns[0].id).toBe(all[2])
      }
      const found = (await test.ask('GET', '/campaigns?search=l1&status=DRAFT')).body
      expect([found.total, found.campaigns[0].id]).toEqual([1, all[1]])
      const long = await test.ask('GET', `/campaigns?search=${'x'.repeat(256)}`)
      expect([long.status, long.body.error.errors[0].field]).toEqual([422, 'search'])
      const sent = (await test.ask('GET', '/campaigns?status=SENT')).body
      expect(sent).toEqual({
        ...{ campaigns: [], data: [], total: 0, page: 1, pageSize: 20, totalPages: 0, cursor: null, hasMore: false },
      })
      for (const [query, field] of [
        ['limit=0', 'limit'],
        ['limit=101', 'limit'],
        ['page=0', 'page'],
        ['status=NEW', 'status'],
      ]) {
        expectEnvelope(await test.ask('GET', `/campaigns?${query}`), 422, 'VALIDATION_ERROR', {
          [field!]: expect.any(String),
        })
      }
      expectEnvelope(await test.ask('GET', '/campaigns?cursor=x'), 400, 'BAD_REQUEST')
    })

    it('show who would get them and what, and change nothing', async () => {
      await test.ask('POST', '/contacts', {
        json: { email: 'no@example.org', subscribed: false, data: { plan: 'pro' } },
      })
      await test.ask('POST', '/contacts', { json: { email: 'bad@example.org', data: { plan: 'pro' } } })
      await test.ask('POST', '/suppressions', { json: { email: 'bad@example.org' } })
      const before = await test.counts()
      const id = await made({ audienceType: 'FILTERED', audienceFilter: PRO })
      const { status, body } = await test.ask('POST', `/campaigns/${id}/preview`)
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          ...{ totalRecipients: 1, skipped: { unsubscribed: 1, suppressed: 1, paused: 0, topic: 0 }, leavers: 0 },
          sample: {
            subject: 'Hi Ada',
            html: expect.stringContaining('<p>Hi Ada</p>'),
            text: expect.stringContaining('Hi Ada'),
          },
        },
      })
      const nobody = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'none' }] }
      const empty = await made({ audienceType: 'FILTERED', audienceFilter: nobody })
      expect((await test.ask('POST', `/campaigns/${empty}/preview`)).body).toMatchObject({
        ...{
          totalRecipients: 0,
          skipped: { unsubscribed: 0, suppressed: 0, paused: 0, topic: 0 },
          leavers: 0,
          sample: { subject: 'Hi ' },
        },
      })
      expect(await test.counts()).toEqual(before)
    })

    it('take an address for a test, and no other', async () => {
      const id = await made()
      const tried = (json: unknown) => test.ask('POST', `/campaigns/${id}/test`, { json })
      expect(await tried({ email: 'Tester@Example.org' })).toMatchObject({ status: 200, body: { success: true } })
      expectEnvelope(await tried({}), 422, 'VALIDATION_ERROR', { email: 'required' })
      expectEnvelope(await tried({ email: 'x' }), 422, 'VALIDATION_ERROR', { email: 'invalid_string' })
      const [mail] = (await test.ask('GET', '/emails')).body.data
      expect(mail).toMatchObject({
        to: 'tester@example.org',
        contactId: null,
        campaignId: null,
        sourceType: 'CAMPAIGN',
        about: 'test',
      })
      expect((await test.ask('GET', `/emails/${mail.id}`)).body.subject).toBe('[TEST] Hi ')
      expect(await get(id)).toMatchObject({ status: 'DRAFT', ...NO_FIGURES })
    })

    it('have figures, flat and wrapped', async () => {
      const { status, body } = await test.ask('GET', `/campaigns/${await made()}/stats`)
      const figures = {
        ...NO_FIGURES,
        skipped: {
          unsubscribed: 0,
          suppressed: 0,
          paused: 0,
          topic: 0,
          contactRemoved: 0,
          cancelled: 0,
          capped: 0,
          heldOut: 0,
          caught: 0,
        },
        leftOutAtStart: 0,
        anonymous: { opened: 0, clicked: 0 },
        ...{ openRate: 0, clickRate: 0, bounceRate: 0, deliveryRate: 0 },
      }
      expect({ status, body }).toEqual({ status: 200, body: { success: true, ...figures, data: figures } })
    })

    it('refuse wrong queries of figures and recipients', async () => {
      const id = await made()
      const ask = (path: string) => test.ask('GET', `/campaigns/${id}/${path}`)
      expect((await ask('stats?excludeMachine=true')).status).toBe(200)
      expectEnvelope(await ask('stats?excludeMachine=x'), 422, 'VALIDATION_ERROR', { excludeMachine: 'invalid_type' })
      expect((await ask('recipients')).body).toEqual({ data: [], cursor: null, hasMore: false, total: 0 })
      expectEnvelope(await ask('recipients?status=NEW'), 422, 'VALIDATION_ERROR', { status: 'invalid_enum_value' })
      expectEnvelope(await ask('recipients?limit=0'), 422, 'VALIDATION_ERROR', { limit: 'too_small' })
      expectEnvelope(await ask('recipients?cursor=x'), 400, 'BAD_REQUEST')
      expect((await ask('left-out')).body).toEqual({ data: [], cursor: null, hasMore: false, total: 0 })
      expectEnvelope(await ask('left-out?reason=x'), 422, 'VALIDATION_ERROR', { reason: 'invalid_enum_value' })
      expectEnvelope(await ask('left-out?limit=101'), 422, 'VALIDATION_ERROR', { limit: 'too_big' })
      expectEnvelope(await ask('left-out?cursor=x'), 400, 'BAD_REQUEST')
    })

    const ENDPOINTS = [
      ['GET', '', undefined],
      ['PUT', '', CAMPAIGN],
      ['DELETE', '', undefined],
      ['POST', '/duplicate', undefined],
      ['POST', '/send', {}],
      ['POST', '/cancel', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
      ['POST', '/retry-failed', undefined],
      ['POST', '/test', { email: 'a@example.org' }],
      ['POST', '/preview', undefined],
      ['GET', '/stats', undefined],
      ['GET', '/recipients', undefined],
      ['GET', '/left-out', undefined],
    ] as const

    it.each(
      ENDPOINTS,
    )('%s /campaigns/:id%s knows none of an unknown id or of another project', async (method, path, json) => {
      const foreign = (await make({}, OTHER_SECRET)).body.data.id
      for (const id of [UNKNOWN_ID, 'x', foreign, '%00']) {
        expectEnvelope(await test.ask(method, `/campaigns/${id}${path}`, { json }), 404, 'CAMPAIGN_NOT_FOUND')
      }
    })

    it.each(
      ENDPOINTS,
    )('%s /campaigns/:id%s wants the secret key and, to write, a project that is enabled', async (method, path, json) => {
      const at = `/campaigns/${UNKNOWN_ID}${path}`
      expectEnvelope(await test.ask(method, at, { json, key: null }), 401, 'MISSING_AUTH')
      expectEnvelope(await test.ask(method, at, { json, key: PUBLIC }), 403, 'FORBIDDEN')
      const [status, code] =
        /^(?:|\/preview|\/stats|\/recipients|\/left-out)$/.test(path) && method !== 'PUT' && method !== 'DELETE'
          ? ([404, 'CAMPAIGN_NOT_FOUND'] as const)
          : ([403, 'PROJECT_DISABLED'] as const)
      expectEnvelope(await test.ask(method, at, { json, key: DISABLED_SECRET }), status, code)
    })

    it('are not made in a disabled project', async () => {
      expectEnvelope(await make({}, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    })
  })
}
