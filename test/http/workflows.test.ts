import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const DELAY = { type: 'DELAY', config: { amount: 1, unit: 'hours' } }
const EXIT = { type: 'EXIT' }

describe('workflows', () => {
  let test: TestApp
  const ask = (method: string, path: string, json?: object, key = SECRET) =>
    test.ask(method, `/workflows${path}`, { key, ...(json === undefined ? {} : { json }) })
  /** A new workflow: its id, and the id of its trigger. */
  const make = async (change: object = {}, key = SECRET) => {
    const { status, body } = await ask('POST', '', { name: 'Welcome', eventName: 'signed.up', ...change }, key)
    expect(status).toBe(201)
    return { id: body.id as string, trigger: body.steps[0].id as string, body }
  }
  const add = async (id: string, step: object) => {
    const { status, body } = await ask('POST', `/${id}/steps`, step)
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.id as string
  }
  const link = (id: string, fromStepId: string, toStepId: string, more: object = {}) =>
    ask('POST', `/${id}/transitions`, { fromStepId, toStepId, ...more })
  const enable = (id: string) => ask('PATCH', `/${id}`, { enabled: true })
  const drawn = async (id: string) => (await ask('GET', `/${id}`)).body
  /** A workflow that waits an hour and ends, enabled. */
  const running = async (change: object = {}) => {
    const { id, trigger } = await make(change)
    const delay = await add(id, { ...DELAY, afterStepId: trigger })
    const exit = await add(id, { ...EXIT, afterStepId: delay })
    expect((await enable(id)).status).toBe(200)
    return { id, trigger, delay, exit }
  }
  const contact = async (email: string, key = SECRET) =>
    (await test.ask('POST', '/contacts', { json: { email }, key })).body.id as string

  beforeAll(async () => {
    test = await testApp(store)
  })

  it('are made with 201, not enabled, with a trigger as the entry', async () => {
    const json = { name: ' Welcome ', eventName: 'signed.up', description: 'D', allowReentry: true, enabled: true }
    const { status, body } = await ask('POST', '', { ...json, triggerType: 'MANUAL' })
    const config = { eventName: 'signed.up' }
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        ...{ id: expect.any(String), name: 'Welcome', description: 'D', enabled: false, allowReentry: true },
        ...{ triggerType: 'EVENT', triggerConfig: config, version: 1 },
        createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updatedAt: body.createdAt,
        steps: [{ id: expect.any(String), type: 'TRIGGER', name: 'Trigger', position: { x: 0, y: 0 }, config }],
        transitions: [],
      },
    })
    expect(await drawn(body.id)).toEqual(body)
  })

  it('take their event in a trigger config too, and system events as well', async () => {
    const { body } = await make({ eventName: undefined, triggerConfig: { eventName: 'segment.vip.entry' } })
    expect(body).toMatchObject({ triggerConfig: { eventName: 'segment.vip.entry' }, allowReentry: false })
    expect(body).not.toHaveProperty('description')
  })

  it.each([
    [{ eventName: 'x' }, { name: 'required' }],
    [{ name: ' ', eventName: 'x' }, { name: 'too_small' }],
    [{ name: 'x'.repeat(256), eventName: 'x' }, { name: 'too_big' }],
    [{ name: 7, eventName: 'x' }, { name: 'invalid_type' }],
    [{ name: 'x' }, { eventName: 'required' }],
    [{ name: 'x', eventName: '' }, { eventName: 'too_small' }],
    [{ name: 'x', eventName: 'x'.repeat(256) }, { eventName: 'too_big' }],
    [{ name: 'x', triggerConfig: {} }, { 'triggerConfig.eventName': 'required' }],
    [{ name: 'x', triggerConfig: { eventName: 5 } }, { 'triggerConfig.eventName': 'invalid_type' }],
    [{ name: 'x', eventName: 'x', allowReentry: 'yes' }, { allowReentry: 'invalid_type' }],
    [{ name: 'x', eventName: 'x', description: 5 }, { description: 'invalid_type' }],
  ])('without what they need, or with what they cannot have, are refused with 422 (case %#)', async (json, fields) => {
    expectEnvelope(await ask('POST', '', json), 422, 'VALIDATION_ERROR', fields)
  })

  it('are listed, newest first, by page and by cursor', async () => {
    const made = [await make({ name: 'One' }), await make({ name: 'Two' }), await make({ name: 'Three' })]
    const first = await ask('GET', '?limit=2')
    const { workflows, data, cursor, total, ...page } = first.body
    expect(data).toEqual(workflows)
    expect(page).toEqual({ page: 1, pageSize: 2, totalPages: Math.ceil(total / 2), hasMore: true })
    expect(workflows.map(({ id }: { id: string }) => id)).toEqual([made[2]!.id, made[1]!.id])
    const { steps, transitions, ...record } = made[2]!.body
    expect(workflows[0]).toEqual(record)
    expect((await ask('GET', `?limit=2&cursor=${cursor}`)).body.workflows[0].id).toBe(made[0]!.id)
    expect((await ask('GET', '?page=2&pageSize=2')).body.workflows[0].id).toBe(made[0]!.id)
    expectEnvelope(await ask('GET', '?limit=101'), 422, 'VALIDATION_ERROR', { limit: 'too_big' })
    expectEnvelope(await ask('GET', '?cursor=x'), 400, 'BAD_REQUEST')
  })

  it('are changed field by field; null takes a description away', async () => {
    const { id, body } = await make({ description: 'D' })
    const { status, body: after } = await ask('PATCH', `/${id}`, {
      name: 'New',
      description: null,
      allowReentry: true,
    })
    const { description, ...rest } = body
    expect({ status, after }).toEqual({
      status: 200,
      after: { ...rest, name: 'New', allowReentry: true, version: 2, updatedAt: after.updatedAt },
    })
    const event = await ask('PATCH', `/${id}`, { triggerConfig: { eventName: 'paid' } })
    expect(event.body.steps[0].config).toEqual({ eventName: 'paid' })
    expect((await ask('PATCH', `/${id}`, { eventName: 'seen' })).body.triggerConfig).toEqual({ eventName: 'seen' })
    const manual = await ask('PATCH', `/${id}`, { triggerType: 'MANUAL', triggerConfig: {} })
    expect(manual.body).toMatchObject({ triggerType: 'MANUAL', triggerConfig: {} })
    const missing = { 'triggerConfig.eventName': 'required' }
    expectEnvelope(await ask('PATCH', `/${id}`, { triggerType: 'EVENT' }), 422, 'VALIDATION_ERROR', missing)
    const wrong = { name: null, triggerType: 'CRON', enabled: 'yes', allowReentry: 1 }
    expectEnvelope(await ask('PATCH', `/${id}`, wrong), 422, 'VALIDATION_ERROR', {
      ...{ name: 'invalid_type', triggerType: 'invalid_enum_value' },
      ...{ enabled: 'invalid_type', allowReentry: 'invalid_type' },
    })
  })

  it('are copied with 201 under ids of their own, not enabled', async () => {
    const { id } = await running({ name: 'Source', allowReentry: true })
    const { status, body } = await ask('POST', `/${id}/duplicate`)
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Source (Copy)', enabled: false, allowReentry: true })
    expect((await ask('POST', `/${id}/duplicate`, { name: 'Mine' })).body.name).toBe('Mine')
    expect(await drawn(body.id)).toEqual(body)
    const source = await drawn(id)
    expect(body.steps.map(({ type }: { type: string }) => type)).toEqual(['TRIGGER', 'DELAY', 'EXIT'])
    const ids = [...body.steps, ...body.transitions].map((each: { id: string }) => each.id)
    for (const { id: other } of [...source.steps, ...source.transitions]) expect(ids).not.toContain(other)
    const [trigger, delay, exit] = ids
    expect(body.transitions).toMatchObject([
      { fromStepId: trigger, toStepId: delay },
      { fromStepId: delay, toStepId: exit },
    ])
  })

  describe('steps', () => {
    it('are added with 201, connected to the step before, and changed', async () => {
      const { id, trigger } = await make()
      const { status, body } = await ask('POST', `/${id}/steps`, {
        ...DELAY,
        afterStepId: trigger,
        position: { x: 5, y: -1.5 },
      })
      expect({ status, body }).toEqual({
        status: 201,
        body: { id: body.id, ...DELAY, name: 'Delay', position: { x: 5, y: -1.5 } },
      })
      const { steps, transitions } = await drawn(id)
      expect(steps[1]).toEqual(body)
      expect(transitions).toEqual([{ id: expect.any(String), fromStepId: trigger, toStepId: body.id, priority: 0 }])
      const change = { name: 'Wait', config: { amount: 2, unit: 'days', more: 1 } }
      const changed = await ask('PATCH', `/${id}/steps/${body.id}`, change)
      expect({ status: changed.status, body: changed.body }).toEqual({
        status: 200,
        body: { ...body, name: 'Wait', config: { amount: 2, unit: 'days' } },
      })
      const moved = await ask('PATCH', `/${id}/steps/${body.id}`, { position: { x: 1, y: 2 }, type: 'DELAY' })
      expect(moved.body).toEqual({ ...changed.body, position: { x: 1, y: 2 } })
    })

    it('that begin a workflow can be named and moved, not configured or deleted', async () => {
      const { id, trigger } = await make()
      const renamed = await ask('PATCH', `/${id}/steps/${trigger}`, { name: 'Start', position: { x: 1, y: 1 } })
      expect(renamed.body).toMatchObject({ type: 'TRIGGER', name: 'Start' })
      const config = { eventName: 'other' }
      const refused = await ask('PATCH', `/${id}/steps/${trigger}`, { config })
      expectEnvelope(refused, 422, 'VALIDATION_ERROR', { config: 'custom' })
      expectEnvelope(await ask('DELETE', `/${id}/steps/${trigger}`), 400, 'BAD_REQUEST')
      const another = await ask('POST', `/${id}/steps`, { type: 'TRIGGER', config })
      expectEnvelope(another, 422, 'VALIDATION_ERROR', { type: 'invalid_enum_value' })
    })

    it.each<[object, Record<string, string>]>([
      [{}, { type: 'required' }],
      [{ type: 'WAIT' }, { type: 'invalid_enum_value' }],
      [{ ...EXIT, name: '' }, { name: 'too_small' }],
      [{ ...EXIT, name: 'x'.repeat(256) }, { name: 'too_big' }],
      [{ ...EXIT, config: [] }, { config: 'invalid_type' }],
      [{ ...EXIT, config: { reason: 5 } }, { 'config.reason': 'invalid_type' }],
      [{ ...EXIT, position: { x: 'a', y: 0 } }, { 'position.x': 'invalid_type' }],
      [{ ...EXIT, templateId: ID }, { templateId: 'custom' }],
      [{ type: 'DELAY' }, { 'config.amount': 'required', 'config.unit': 'required' }],
      [{ type: 'DELAY', config: { amount: 0, unit: 'days' } }, { 'config.amount': 'too_small' }],
      [{ type: 'DELAY', config: { amount: 366, unit: 'days' } }, { 'config.amount': 'too_big' }],
      [{ type: 'DELAY', config: { amount: 8761, unit: 'hours' } }, { 'config.amount': 'too_big' }],
      [{ type: 'DELAY', config: { amount: '1', unit: 'days' } }, { 'config.amount': 'invalid_type' }],
      [{ type: 'DELAY', config: { amount: 1, unit: 'weeks' } }, { 'config.unit': 'invalid_enum_value' }],
      [{ type: 'WAIT_FOR_EVENT', config: {} }, { 'config.eventName': 'required' }],
      [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'a', timeout: -1 } }, { 'config.timeout': 'too_small' }],
      [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'a', timeout: 4e7 } }, { 'config.timeout': 'too_big' }],
      [{ type: 'CONDITION' }, { 'config.operator': 'required' }],
      [{ type: 'CONDITION', config: { field: 'email', operator: 'is' } }, { 'config.operator': 'invalid_enum_value' }],
      [{ type: 'CONDITION', config: { field: 'contact.email', operator: 'equals' } }, { 'config.value': 'required' }],
      [
        { type: 'CONDITION', config: { field: 'data.plan', operator: 'equals', value: ' ' } },
        { 'config.value': 'too_small' },
      ],
      [
        { type: 'CONDITION', config: { operator: 'AND', conditions: [{ field: 'event.a', operator: 'x' }] } },
        { 'config.conditions.0.operator': 'invalid_enum_value' },
      ],
      [
        { type: 'CONDITION', config: { filter: { operator: 'AND', conditions: [] } } },
        { 'config.filter.conditions': 'too_small' },
      ],
      [
        { type: 'CONDITION', config: { field: `segment.${ID}`, operator: 'memberOfSegment' } },
        { 'config.field': 'custom' },
      ],
      [{ type: 'WEBHOOK', config: {} }, { 'config.url': 'required' }],
      [{ type: 'WEBHOOK', config: { url: '{{ url }}' } }, { 'config.url': 'invalid_string' }],
      [{ type: 'WEBHOOK', config: { url: 'ftp://a.example' } }, { 'config.url': 'invalid_string' }],
      [{ type: 'WEBHOOK', config: { url: 'https://a b' } }, { 'config.url': 'invalid_string' }],
      [
        { type: 'WEBHOOK', config: { url: 'https://a.example', method: 'post' } },
        { 'config.method': 'invalid_enum_value' },
      ],
      [{ type: 'WEBHOOK', config: { url: 'https://a.example', headers: [] } }, { 'config.headers': 'invalid_type' }],
      [
        {
          type: 'WEBHOOK',
          config: { url: 'https://a.example', headers: { 'X-A': 'for 5 €', 'X-B': 'a\x01', 'X-C': '{{ name }} 🏔' } },
        },
        // what is beyond Latin-1 goes out as UTF-8; a control character goes nowhere
        { 'config.headers.X-B': 'invalid_string' },
      ],
      [
        {
          type: 'WEBHOOK',
          config: { url: 'https://a.example', headers: { 'X-A': 1, 'a b': 'x', Host: 'x', 'X-B': 'a\r\nb' } },
        },
        {
          ...{ 'config.headers.X-A': 'invalid_type', 'config.headers.a b': 'invalid_string' },
          ...{ 'config.headers.Host': 'custom', 'config.headers.X-B': 'header_injection' },
        },
      ],
      [{ type: 'WEBHOOK', config: { url: 'https://u:p@a.example' } }, { 'config.url': 'invalid_string' }],
      [{ type: 'WEBHOOK', config: { url: 'https://a b' } }, { 'config.url': 'invalid_string' }],
      [
        { type: 'WEBHOOK', config: { url: 'https://a.example', timeoutSeconds: 31 } },
        { 'config.timeoutSeconds': 'too_big' },
      ],
      [
        { type: 'WEBHOOK', config: { url: 'https://a.example', onFailure: 'stop' } },
        { 'config.onFailure': 'invalid_enum_value' },
      ],
      [
        { type: 'WEBHOOK', config: { url: 'https://a.example', body: { a: ['{{ x'] } } },
        { 'config.body.a.0': 'custom' },
      ],
      [{ type: 'UPDATE_CONTACT', config: { data: [] } }, { 'config.data': 'invalid_type' }],
      [{ type: 'UPDATE_CONTACT', config: { subscribed: 'no' } }, { 'config.subscribed': 'invalid_type' }],
      [{ type: 'UPDATE_CONTACT', config: { data: { a: '{% if %}' } } }, { 'config.data.a': 'custom' }],
      [{ type: 'SEND_EMAIL', config: { subject: 'a\nb' } }, { 'config.subject': 'header_injection' }],
      [{ type: 'SEND_EMAIL', config: { body: '{% nope %}' } }, { 'config.body': 'custom' }],
      [{ type: 'SEND_EMAIL', config: { from: 'nobody' } }, { 'config.from': 'invalid_string' }],
      [
        { type: 'SEND_EMAIL', config: { headers: { 'X-A': 'a\r\nBcc: b@example.org' } } },
        { 'config.headers.X-A': 'header_injection' },
      ],
      [{ type: 'SEND_EMAIL', config: { headers: { Subject: 'x' } } }, { 'config.headers.Subject': 'custom' }],
      [{ type: 'SEND_EMAIL', config: { mostPerHour: 0 } }, { 'config.mostPerHour': 'too_small' }],
      [{ type: 'SEND_EMAIL', config: { mostPerHour: 1001 } }, { 'config.mostPerHour': 'too_big' }],
      [
        { type: 'SEND_EMAIL', config: { recipient: { type: 'CUSTOM' } } },
        { 'config.recipient.customEmail': 'required' },
      ],
      [
        { type: 'SEND_EMAIL', config: { recipient: { type: 'CUSTOM', customEmail: 'x' } } },
        { 'config.recipient.customEmail': 'invalid_string' },
      ],
      [
        { type: 'SEND_EMAIL', config: { recipient: { type: 'ALL' } } },
        { 'config.recipient.type': 'invalid_enum_value' },
      ],
    ])('with wrong fields are refused with 422 (case %#)', async (step, fields) => {
      const { id } = await make()
      expectEnvelope(await ask('POST', `/${id}/steps`, step), 422, 'VALIDATION_ERROR', fields)
      expect((await drawn(id)).steps).toHaveLength(1)
    })

    it.each([
      ['SEND_EMAIL', {}],
      ['SEND_EMAIL', { subject: 'Hi {{ name }}', body: '<p>{{ event.plan }}</p>', from: 'me@example.com' }],
      ['SEND_EMAIL', { from: { email: 'me@example.com', name: 'Me' }, fromName: 'M', replyTo: 'r@example.org' }],
      ['SEND_EMAIL', { recipient: { type: 'CUSTOM', customEmail: '{{ event.owner }}' } }],
      ['DELAY', { amount: 1.5, unit: 'minutes' }],
      ['DELAY', { amount: 365, unit: 'days' }],
      ['WAIT_FOR_EVENT', { eventName: 'email.open', timeout: 60 }],
      ['CONDITION', { field: 'contact.data.plan', operator: 'equals', value: 'pro' }],
      ['CONDITION', { operator: 'OR', conditions: [{ field: 'event.amount', operator: 'greaterThan', value: 5 }] }],
      ['CONDITION', { field: 'event.paid', operator: 'triggeredWithin', value: 2, unit: 'days' }],
      ['CONDITION', { field: 'context.source', operator: 'exists' }],
      ['WEBHOOK', { url: 'https://{{ host }}/x' }],
      [
        'WEBHOOK',
        {
          ...{ url: 'http://a.example/{{ id }}', method: 'PUT', headers: { 'X-A': '{{ email }}' } },
          ...{ body: { a: [null, 1, '{{ event.a }}'] }, timeoutSeconds: 30, onFailure: 'continue' },
        },
      ],
      ['UPDATE_CONTACT', { data: { plan: '{{ event.plan }}', gone: null }, subscribed: false }],
      ['EXIT', { reason: 'done' }],
    ])('%s takes %j and keeps nothing else', async (type, config) => {
      const { id } = await make()
      const { status, body } = await ask('POST', `/${id}/steps`, {
        type,
        config: { ...config, unknown: 1, fallback: null },
      })
      expect({ status, body }).toMatchObject({ status: 201, body: { type } })
      expect(body.config).toEqual(config)
      expect((await drawn(id)).steps[1]).toEqual(body)
    })

    it('name templates beside the config or in it; those of others are 404', async () => {
      const json = { name: 'T', slug: 'of-steps', subject: 'S', body: 'B', type: 'TRANSACTIONAL' }
      const template = (await test.ask('POST', '/templates', { json })).body.id
      const theirs = (await test.ask('POST', '/templates', { json, key: OTHER_SECRET })).body.id
      const { id } = await make()
      const beside = await ask('POST', `/${id}/steps`, { type: 'SEND_EMAIL', templateId: template })
      const inside = await ask('POST', `/${id}/steps`, { type: 'SEND_EMAIL', config: { templateId: template } })
      const bySlug = await ask('POST', `/${id}/steps`, { type: 'SEND_EMAIL', config: { templateId: 'of-steps' } })
      for (const { body } of [beside, inside, bySlug]) {
        expect(body).toMatchObject({ templateId: template, config: { templateId: template } })
      }
      const path = `/${id}/steps/${inside.body.id}`
      expect((await ask('PATCH', path, { config: { subject: 'S' } })).body.config).toEqual({
        subject: 'S',
        templateId: template,
      })
      expect((await ask('PATCH', path, { templateId: null })).body).not.toHaveProperty('templateId')
      expect((await ask('PATCH', path, { templateId: 'of-steps' })).body.templateId).toBe(template)
      for (const templateId of [theirs, ID, 'x']) {
        expectEnvelope(await ask('PATCH', path, { templateId }), 404, 'TEMPLATE_NOT_FOUND')
        const added = await ask('POST', `/${id}/steps`, { type: 'SEND_EMAIL', config: { templateId } })
        expectEnvelope(added, 404, 'TEMPLATE_NOT_FOUND')
      }
    })

    it('cannot send from a domain of others, nor become another type', async () => {
      const { id } = await make()
      const from = await ask('POST', `/${id}/steps`, { type: 'SEND_EMAIL', config: { from: 'me@other.example' } })
      expectEnvelope(from, 403, 'DOMAIN_NOT_VERIFIED')
      // one of the project that waits for its records is enough for a draft, and not to be turned on
      await test.ask('POST', '/domains', { json: { domain: 'waits.example' } })
      const config = { from: 'Me <me@waits.example>', subject: 'Hi', body: '<p>Hi</p>' }
      const { id: drawn, trigger } = await make()
      const waits = await ask('POST', `/${drawn}/steps`, { type: 'SEND_EMAIL', config, afterStepId: trigger })
      expect(waits.status).toBe(201)
      const field = `steps.${waits.body.id}.config.from`
      expectEnvelope(await ask('PATCH', `/${drawn}`, { enabled: true }), 422, 'VALIDATION_ERROR', { [field]: 'custom' })
      const step = await add(id, EXIT)
      expectEnvelope(await ask('PATCH', `/${id}/steps/${step}`, { type: 'DELAY' }), 422, 'VALIDATION_ERROR', {
        type: 'custom',
      })
    })

    it('are connected where that is possible only', async () => {
      const { id, trigger } = await make()
      const exit = await add(id, { ...EXIT, afterStepId: trigger })
      const refused = (step: object, field: string) => async () =>
        expectEnvelope(await ask('POST', `/${id}/steps`, step), 422, 'VALIDATION_ERROR', {
          [field]: expect.any(String),
        })
      await refused({ ...EXIT, afterStepId: trigger }, 'afterStepId')()
      await refused({ ...EXIT, afterStepId: exit }, 'afterStepId')()
      const condition = await add(id, {
        type: 'CONDITION',
        config: { field: 'email', operator: 'contains', value: 'a' },
      })
      await refused({ ...EXIT, afterStepId: condition }, 'branch')()
      await add(id, { ...EXIT, afterStepId: condition, branch: 'no' })
      expect((await drawn(id)).transitions).toContainEqual(
        expect.objectContaining({ branch: 'no', condition: { branch: 'no' } }),
      )
      const other = await make()
      for (const afterStepId of [other.trigger, ID, 'x']) {
        expectEnvelope(await ask('POST', `/${id}/steps`, { ...EXIT, afterStepId }), 404, 'STEP_NOT_FOUND')
      }
      expect((await drawn(id)).steps).toHaveLength(4)
    })

    it('are deleted with 204, their transitions too; spliced, what led to them leads on', async () => {
      const { id, trigger } = await make()
      const first = await add(id, { ...DELAY, afterStepId: trigger })
      const second = await add(id, { ...DELAY, afterStepId: first })
      const exit = await add(id, { ...EXIT, afterStepId: second })
      expect((await ask('DELETE', `/${id}/steps/${first}?splice=true`)).status).toBe(204)
      expect((await drawn(id)).transitions).toMatchObject([
        { fromStepId: second, toStepId: exit },
        { fromStepId: trigger, toStepId: second },
      ])
      expect((await ask('DELETE', `/${id}/steps/${second}`)).status).toBe(204)
      expect(await drawn(id)).toMatchObject({ steps: [{ id: trigger }, { id: exit }], transitions: [] })
      expectEnvelope(await ask('DELETE', `/${id}/steps/${second}`), 404, 'STEP_NOT_FOUND')
      expectEnvelope(await ask('DELETE', `/${id}/steps/${exit}?splice=yes`), 422, 'VALIDATION_ERROR', {
        splice: 'invalid_enum_value',
      })
    })

    it('keep the branch of what leads on when they are spliced; those with branches cannot be', async () => {
      const { id, trigger } = await make()
      const config = { field: 'email', operator: 'contains', value: 'a' }
      const condition = await add(id, { type: 'CONDITION', config, afterStepId: trigger })
      const delay = await add(id, { ...DELAY, afterStepId: condition, branch: 'yes' })
      const exit = await add(id, { ...EXIT, afterStepId: delay })
      expectEnvelope(await ask('DELETE', `/${id}/steps/${condition}?splice=true`), 400, 'BAD_REQUEST')
      expect((await ask('DELETE', `/${id}/steps/${delay}?splice=true`)).status).toBe(204)
      expect((await drawn(id)).transitions).toContainEqual(
        expect.objectContaining({ fromStepId: condition, toStepId: exit, branch: 'yes' }),
      )
      const wait = await add(id, { type: 'WAIT_FOR_EVENT', config: { eventName: 'a' } })
      await link(id, wait, exit, { branch: 'timeout' })
      expectEnvelope(await ask('DELETE', `/${id}/steps/${wait}?splice=true`), 400, 'BAD_REQUEST')
    })

    it('are at most 200', async () => {
      const { id } = await make()
      for (let i = 1; i < 200; i++) await add(id, EXIT)
      expectEnvelope(await ask('POST', `/${id}/steps`, EXIT), 422, 'VALIDATION_ERROR', { steps: 'too_big' })
    })

    it('have at most 4 MB in all, and a few texts to fill in each', async () => {
      const { id } = await make()
      const mail = (characters: number) => ({
        ...{ type: 'SEND_EMAIL', autoConnect: false },
        config: { subject: 'x', body: 'x'.repeat(characters), from: 'hello@example.com' },
      })
      const ids: string[] = []
      for (let i = 0; i < 4; i++) ids.push(await add(id, mail(1_000_000)))
      const tooBig = { config: 'too_big' }
      expectEnvelope(await ask('POST', `/${id}/steps`, mail(900_000)), 422, 'VALIDATION_ERROR', tooBig)
      const { config } = mail(900_000)
      expect((await ask('PATCH', `/${id}/steps/${ids[0]}`, { config })).status).toBe(200)
      const hook = (body: object) => ({ type: 'WEBHOOK', config: { url: 'https://x.example', method: 'POST', body } })
      const texts = (count: number, text: string) =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [i, text]))
      for (const body of [texts(501, '{{ a }}'), texts(3, `{{ a }}${'x'.repeat(30_000)}`)]) {
        expectEnvelope(await ask('POST', `/${id}/steps`, hook(body)), 422, 'VALIDATION_ERROR', {
          'config.body': 'too_big',
        })
      }
      expect((await ask('POST', `/${id}/steps`, hook(texts(501, 'x')))).status).toBe(201)
    })
  })

  describe('transitions', () => {
    it('connect steps with 201, and are deleted with 204', async () => {
      const { id, trigger } = await make()
      const exit = await add(id, EXIT)
      const { status, body } = await link(id, trigger, exit, { priority: 3 })
      expect({ status, body }).toEqual({
        status: 201,
        body: { id: expect.any(String), fromStepId: trigger, toStepId: exit, priority: 3 },
      })
      expect((await drawn(id)).transitions).toEqual([body])
      expect((await ask('DELETE', `/${id}/transitions/${body.id}`)).status).toBe(204)
      for (const gone of [body.id, ID, 'x']) {
        expectEnvelope(await ask('DELETE', `/${id}/transitions/${gone}`), 404, 'TRANSITION_NOT_FOUND')
      }
    })

    it('are refused with 422 where none is possible', async () => {
      const { id, trigger } = await make()
      const [a, b, exit] = [await add(id, DELAY), await add(id, DELAY), await add(id, EXIT)]
      const wait = await add(id, { type: 'WAIT_FOR_EVENT', config: { eventName: 'a' } })
      const config = { field: 'email', operator: 'contains', value: 'a' }
      const condition = await add(id, { type: 'CONDITION', config })
      const refused = async (from: string, to: string, more: object, fields: object) =>
        expectEnvelope(await link(id, from, to, more), 422, 'VALIDATION_ERROR', { ...fields })
      const made = async (from: string, to: string, more: object = {}) =>
        expect((await link(id, from, to, more)).status).toBe(201)
      await refused(a, a, {}, { toStepId: 'custom' })
      await refused(exit, a, {}, { fromStepId: 'custom' })
      await refused(a, trigger, {}, { toStepId: 'custom' })
      await refused(a, b, { branch: 'yes' }, { branch: 'custom' })
      await made(a, b)
      await refused(b, a, {}, { toStepId: 'custom' })
      await refused(a, exit, {}, { fromStepId: 'custom' })
      await refused(condition, a, {}, { branch: 'required' })
      await refused(condition, a, { branch: 'timeout' }, { branch: 'invalid_enum_value' })
      await refused(condition, a, { branch: 'maybe' }, { branch: 'invalid_enum_value' })
      await made(condition, a, { condition: { branch: 'yes' } })
      await refused(condition, b, { branch: 'yes' }, { branch: 'custom' })
      await made(condition, b, { branch: 'no' })
      await refused(b, condition, {}, { toStepId: 'custom' })
      await made(wait, a, { branch: 'event' })
      await refused(wait, b, {}, { branch: 'custom' })
      await made(wait, b, { branch: 'timeout' })
      const another = await add(id, { type: 'WAIT_FOR_EVENT', config: { eventName: 'a' } })
      await made(another, a)
      await refused(another, b, { branch: 'timeout' }, { branch: 'custom' })
      expectEnvelope(await ask('POST', `/${id}/transitions`, {}), 422, 'VALIDATION_ERROR', {
        fromStepId: 'required',
        toStepId: 'required',
      })
      await refused(trigger, a, { priority: 1.5 }, { priority: 'invalid_type' })
    })

    it('between steps of another workflow are 404', async () => {
      const { id, trigger } = await make()
      const exit = await add(id, EXIT)
      const other = await make()
      const theirs = await add(other.id, EXIT)
      for (const [from, to] of [
        [trigger, theirs],
        [other.trigger, exit],
        [trigger, ID],
        ['x', exit],
      ] as const) {
        expectEnvelope(await link(id, from, to), 404, 'STEP_NOT_FOUND')
      }
    })
  })

  describe('a drawing that is on', () => {
    const CONDITION = { type: 'CONDITION', config: { field: 'email', operator: 'contains', value: 'a' } }
    const WAIT = { type: 'WAIT_FOR_EVENT', config: { eventName: 'a' } }
    /** The transitions as `from>to branch`, by the names of the steps. */
    const links = async (id: string) => {
      const { steps, transitions } = await drawn(id)
      const name = (wanted: string) => steps.find((each: { id: string }) => each.id === wanted).name
      const written = transitions.map(
        ({ fromStepId, toStepId, branch }: Record<'fromStepId' | 'toStepId' | 'branch', string>) =>
          `${name(fromStepId)}>${name(toStepId)}${branch ? ` ${branch}` : ''}`,
      )
      return written.toSorted()
    }
    const refused = async (method: string, path: string, json: object, fields: Record<string, string>) =>
      expectEnvelope(await ask(method, path, json), 422, 'VALIDATION_ERROR', fields)

    // deleted and drawn anew, the way of the trigger could not be led elsewhere at all, and any other was lost for a moment
    it('has its transitions led elsewhere, each in one request', async () => {
      const { id, trigger, delay, exit } = await running()
      const [first, last] = (await drawn(id)).transitions
      const way = `/${id}/transitions/${first.id}`
      const { status, body } = await ask('PATCH', way, { toStepId: exit, priority: 1_000_000 })
      const after = { id: first.id, fromStepId: trigger, toStepId: exit, priority: 1_000_000 }
      expect({ status, body }).toEqual({ status: 200, body: after })
      expect(await links(id)).toEqual(['Delay>Exit', 'Trigger>Exit'])
      expect((await ask('PATCH', way, {})).body).toEqual(after)
      await refused('PATCH', way, { toStepId: trigger }, { toStepId: 'custom' })
      await refused('PATCH', way, { branch: 'yes' }, { branch: 'custom' })
      await refused('PATCH', way, { priority: 1_000_001 }, { priority: 'too_big' })
      const itself = { toStepId: delay }
      await refused('PATCH', `/${id}/transitions/${last.id}`, itself, { toStepId: 'custom' })
      expectEnvelope(await ask('PATCH', way, { toStepId: ID }), 404, 'STEP_NOT_FOUND')
      for (const other of [ID, 'x']) {
        expectEnvelope(await ask('PATCH', `/${id}/transitions/${other}`, {}), 404, 'TRANSITION_NOT_FOUND')
      }
      expect(await links(id)).toEqual(['Delay>Exit', 'Trigger>Exit'])
    })

    it('gets a step between two, or nothing of it', async () => {
      const { id, trigger, delay } = await running()
      const [first, last] = (await drawn(id)).transitions.map((each: { id: string }) => each.id)
      const put = (json: object) => ask('POST', `/${id}/steps`, json)
      const wrong = (json: object, fields: Record<string, string>) => refused('POST', `/${id}/steps`, json, fields)
      await wrong({ ...CONDITION, onTransitionId: first }, { nextBranch: 'required' })
      await wrong({ ...CONDITION, onTransitionId: first, nextBranch: 'maybe' }, { nextBranch: 'invalid_enum_value' })
      await wrong({ ...DELAY, onTransitionId: first, nextBranch: 'yes' }, { nextBranch: 'custom' })
      await wrong({ ...EXIT, onTransitionId: first }, { type: 'custom' })
      await wrong({ ...DELAY, onTransitionId: first, afterStepId: trigger }, { afterStepId: 'custom' })
      await wrong({ ...DELAY, afterStepId: delay, nextBranch: 'yes' }, { nextBranch: 'custom' })
      expectEnvelope(await put({ ...DELAY, onTransitionId: ID }), 404, 'TRANSITION_NOT_FOUND')
      expect((await drawn(id)).steps).toHaveLength(3)
      expect(await links(id)).toEqual(['Delay>Exit', 'Trigger>Delay'])

      expect((await put({ ...CONDITION, name: 'If', onTransitionId: first, nextBranch: 'no' })).status).toBe(201)
      expect((await put({ ...WAIT, name: 'Wait', onTransitionId: last })).status).toBe(201)
      const all = ['Delay>Wait', 'If>Delay no', 'Trigger>If', 'Wait>Exit']
      expect(await links(id)).toEqual(all)
      expect((await drawn(id)).transitions.find((each: { id: string }) => each.id === last).fromStepId).toBe(delay)
    })

    it('has ways that stand for all branches, which are divided', async () => {
      const { id } = await running()
      const { transitions } = await drawn(id)
      const wait = (await ask('POST', `/${id}/steps`, { ...WAIT, name: 'Wait', onTransitionId: transitions[1].id }))
        .body
      const both = (await drawn(id)).transitions.find((each: { fromStepId: string }) => each.fromStepId === wait.id)
      const more = { name: 'More', onTransitionId: both.id }
      await refused('POST', `/${id}/steps`, { ...DELAY, ...more, branch: 'yes' }, { branch: 'invalid_enum_value' })
      expect((await ask('POST', `/${id}/steps`, { ...DELAY, ...more, branch: 'event' })).status).toBe(201)
      const divided = ['More>Exit', 'Trigger>Delay', 'Wait>Exit timeout', 'Wait>More event']
      expect(await links(id)).toEqual(['Delay>Wait', ...divided])
      await refused('POST', `/${id}/steps`, { ...DELAY, ...more, branch: 'timeout' }, { branch: 'custom' })
      // the name of the branch, in another place
      const change = { condition: { branch: 'timeout' } }
      await refused('PATCH', `/${id}/transitions/${both.id}`, change, { branch: 'custom' })
    })

    it('loses a step with branches, and one of them takes its place', async () => {
      const { id } = await running()
      const [first] = (await drawn(id)).transitions
      const put = async (json: object) => (await ask('POST', `/${id}/steps`, json)).body.id as string
      const step = await put({ ...CONDITION, name: 'If', onTransitionId: first.id, nextBranch: 'no' })
      await put({ ...DELAY, name: 'More', afterStepId: step, branch: 'yes' })
      const remove = (query: string) => ask('DELETE', `/${id}/steps/${step}${query}`)
      expectEnvelope(await remove('?splice=true'), 400, 'BAD_REQUEST')
      expectEnvelope(await remove('?branch=yes'), 422, 'VALIDATION_ERROR', { branch: 'custom' })
      expectEnvelope(await remove('?splice=true&branch=event'), 422, 'VALIDATION_ERROR', {
        branch: 'invalid_enum_value',
      })
      expect((await remove('?splice=true&branch=yes')).status).toBe(204)
      expect(await links(id)).toEqual(['Delay>Exit', 'Trigger>More'])
    })
  })

  describe('enabling', () => {
    const problems = async (id: string, fields: Record<string, string>) =>
      expectEnvelope(await enable(id), 422, 'VALIDATION_ERROR', fields)

    it('takes a workflow that can run', async () => {
      const { id, trigger } = await make()
      await problems(id, { [`steps.${trigger}`]: 'custom' })
      const step = await add(id, { type: 'SEND_EMAIL', afterStepId: trigger, name: 'First mail' })
      await problems(id, { [`steps.${step}.templateId`]: 'custom' })
      expect((await enable(id)).body.message).toContain('First mail')
      await ask('PATCH', `/${id}/steps/${step}`, { config: { subject: 'S', body: 'B' } })
      await problems(id, { [`steps.${step}.config.from`]: 'custom' })
      await ask('PATCH', `/${id}/steps/${step}`, { config: { subject: 'S', body: 'B', from: 'me@example.com' } })
      const config = { field: 'email', operator: 'contains', value: 'a' }
      const condition = await add(id, { type: 'CONDITION', config, afterStepId: step })
      await problems(id, { [`steps.${condition}`]: 'custom' })
      await add(id, { ...EXIT, afterStepId: condition, branch: 'yes' })
      await add(id, { type: 'SEND_EMAIL', name: 'Led to by nothing' })
      expect(await enable(id)).toMatchObject({ status: 200, body: { enabled: true } })
      expect((await ask('PATCH', `/${id}`, { enabled: false })).body.enabled).toBe(false)
    })

    it('takes a mail from a template with a sender', async () => {
      const json = { name: 'T', subject: 'S', body: 'B', type: 'MARKETING' }
      const template = (await test.ask('POST', '/templates', { json })).body.id
      const { id, trigger } = await make()
      const step = await add(id, { type: 'SEND_EMAIL', afterStepId: trigger, templateId: template })
      await problems(id, { [`steps.${step}.config.from`]: 'custom' })
      await test.ask('PATCH', `/templates/${template}`, { json: { from: 'me@example.com' } })
      expect((await enable(id)).status).toBe(200)
    })

    it('lets the drawing be changed as long as the workflow can run', async () => {
      const { id, trigger, delay } = await running()
      const [first] = (await drawn(id)).transitions
      expectEnvelope(await ask('DELETE', `/${id}/transitions/${first.id}`), 409, 'CONFLICT', {
        [`steps.${trigger}`]: 'custom',
      })
      expectEnvelope(await ask('DELETE', `/${id}/steps/${delay}`), 409, 'CONFLICT')
      expect((await drawn(id)).transitions).toHaveLength(2)
      const config = { field: 'email', operator: 'contains', value: 'a' }
      const condition = await add(id, { type: 'CONDITION', config })
      await add(id, { ...EXIT, afterStepId: condition, branch: 'no' })
      expect((await ask('DELETE', `/${id}/steps/${delay}?splice=true`)).status).toBe(204)
    })
  })

  describe('executions', () => {
    it('are started by hand with 201, read, counted and cancelled', async () => {
      const { id, trigger, delay } = await running()
      const contactId = await contact('ada@example.org')
      const { status, body } = await ask('POST', `/${id}/executions`, { contactId, context: { a: 1 } })
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          ...{ id: expect.any(String), workflowId: id, contactId, status: 'RUNNING', currentStepId: trigger },
          ...{ exitReason: null, error: null, context: { a: 1 }, completedAt: null, steps: [] },
          ...{ startedAt: expect.any(String), updatedAt: expect.any(String) },
        },
      })
      const path = `/${id}/executions/${body.id}`
      expect((await ask('GET', path)).body).toEqual(body)
      const list = await ask('GET', `/${id}/executions?status=RUNNING`)
      expect(list.body).toEqual({
        ...{
          executions: [body],
          data: [body],
          total: 1,
          page: 1,
          pageSize: 20,
          totalPages: 1,
          cursor: null,
          hasMore: false,
        },
      })
      expect((await ask('GET', `/${id}/executions?status=FAILED`)).body).toMatchObject({ executions: [], total: 0 })
      const found = async (query: string) => (await ask('GET', `/${id}/executions?${query}`)).body.total
      const queries = ['standingOn=none', `stepId=${delay}&stepStatus=FAILED`, `standingOn=${id}`]
      expect(await Promise.all(queries.map(found))).toEqual([0, 0, 0])
      for (const [query, field] of [
        [`stepId=${delay}`, 'stepStatus'],
        ['stepStatus=FAILED', 'stepId'],
        [`status=FAILED&standingOn=${delay}`, 'standingOn'],
      ] as const) {
        const refused = await ask('GET', `/${id}/executions?${query}`)
        expectEnvelope(refused, 422, 'VALIDATION_ERROR', { [field]: 'custom' })
      }
      expectEnvelope(await ask('GET', `/${id}/executions?status=DONE`), 422, 'VALIDATION_ERROR', {
        status: 'invalid_enum_value',
      })
      expectEnvelope(await ask('POST', `/${id}/executions`, { contactId }), 409, 'CONFLICT')
      expectEnvelope(await ask('DELETE', `/${id}`), 409, 'CONFLICT')
      expectEnvelope(await ask('DELETE', `/${id}/steps/${delay}?splice=false`), 409, 'CONFLICT')
      const stats = await ask('GET', `/${id}/stats`)
      expect(stats.body.executions).toEqual({
        ...{ total: 1, running: 1, waiting: 0, completed: 0, exited: 0, goalReached: 0, failed: 0, cancelled: 0 },
      })
      expect(stats.body.steps).toHaveLength(3)
      expect(stats.body.steps[0]).toEqual({
        ...{ stepId: trigger, type: 'TRIGGER', name: 'Trigger', active: 1, total: 0 },
        ...{ running: 0, waiting: 0, completed: 0, skipped: 0, failed: 0, cancelled: 0 },
      })
      const cancelled = await ask('DELETE', path)
      expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED', completedAt: expect.any(String) } })
      expectEnvelope(await ask('DELETE', path), 409, 'CONFLICT')
      expect((await ask('DELETE', `/${id}`)).status).toBe(204)
      expectEnvelope(await ask('GET', `/${id}`), 404, 'WORKFLOW_NOT_FOUND')
    })

    it('are listed from the side of their contact, newest first, by cursor and status', async () => {
      const contactId = await contact('way@example.org')
      const path = `/contacts/${contactId}/workflows`
      const [one, two] = [await running({ name: 'One' }), await running({ name: 'Two' })]
      const [first, second] = await Promise.all(
        [one, two].map(async ({ id }) => (await ask('POST', `/${id}/executions`, { contactId })).body),
      )
      await ask('DELETE', `/${one.id}/executions/${first.id}`)
      const page = await test.ask('GET', `${path}?limit=1`)
      const [newest, oldest] = first.id > second.id ? [first, second] : [second, first]
      expect(page.body).toMatchObject({ data: [{ id: newest.id }], total: 2, hasMore: true })
      const rest = await test.ask('GET', `${path}?limit=1&cursor=${page.body.cursor}`)
      expect(rest.body).toMatchObject({ data: [{ id: oldest.id }], total: 0, hasMore: false, cursor: null })
      const { body } = await test.ask('GET', `${path}?status=RUNNING`)
      expect(body).toMatchObject({ total: 1 })
      expect(body.data).toEqual([
        {
          ...{
            id: second.id,
            workflowId: two.id,
            workflowName: 'Two',
            status: 'RUNNING',
            exitReason: null,
            error: null,
          },
          step: { id: two.trigger, type: 'TRIGGER', name: 'Trigger', since: null },
          ...{ startedAt: second.startedAt, completedAt: null, updatedAt: second.updatedAt },
        },
      ])
      expect((await test.ask('GET', `${path}?status=CANCELLED`)).body.data).toMatchObject([{ step: { since: null } }])
      const fields = { status: 'invalid_enum_value' }
      expectEnvelope(await test.ask('GET', `${path}?status=DONE`), 422, 'VALIDATION_ERROR', fields)
      for (const id of [ID, 'x', await contact('way@example.org', OTHER_SECRET)]) {
        expectEnvelope(await test.ask('GET', `/contacts/${id}/workflows`), 404, 'CONTACT_NOT_FOUND')
      }
      const other = await contact('other-way@example.org')
      const foreign = await test.ask('GET', `/contacts/${other}/workflows?cursor=${page.body.cursor}`)
      expectEnvelope(foreign, 400, 'BAD_REQUEST')
    })

    it('are cancelled all at once; a step is not deleted under a contact', async () => {
      const { id, trigger, delay, exit } = await running()
      for (const email of ['b@example.org', 'c@example.org']) {
        await ask('POST', `/${id}/executions`, { contactId: await contact(email) })
      }
      expect((await ask('PATCH', `/${id}`, { enabled: false })).status).toBe(200)
      expectEnvelope(await ask('DELETE', `/${id}/steps/${trigger}`), 400, 'BAD_REQUEST')
      expect((await ask('DELETE', `/${id}/steps/${exit}`)).status).toBe(204)
      expect((await ask('GET', `/${id}/stats`)).body.steps).toMatchObject([
        { stepId: trigger, active: 2 },
        { stepId: delay },
      ])
      expect(await ask('POST', `/${id}/executions/cancel-all`)).toMatchObject({ status: 200, body: { cancelled: 2 } })
      expect(await ask('POST', `/${id}/executions/cancel-all`)).toMatchObject({ status: 200, body: { cancelled: 0 } })
    })

    it('of disabled workflows, unknown contacts and those of others are refused', async () => {
      const { id } = await make()
      const contactId = await contact('d@example.org')
      expectEnvelope(await ask('POST', `/${id}/executions`, { contactId }), 409, 'CONFLICT')
      const enabled = await running()
      const path = `/${enabled.id}/executions`
      const theirs = await contact('d@example.org', OTHER_SECRET)
      for (const unknown of [ID, theirs, 'x']) {
        expectEnvelope(await ask('POST', path, { contactId: unknown }), 404, 'CONTACT_NOT_FOUND')
      }
      expectEnvelope(await ask('POST', path, {}), 422, 'VALIDATION_ERROR', { contactId: 'required' })
      expectEnvelope(await ask('POST', path, { contactId, context: [] }), 422, 'VALIDATION_ERROR', {
        context: 'invalid_type',
      })
      for (const unknown of [ID, 'x']) {
        expectEnvelope(await ask('GET', `${path}/${unknown}`), 404, 'EXECUTION_NOT_FOUND')
        expectEnvelope(await ask('DELETE', `${path}/${unknown}`), 404, 'EXECUTION_NOT_FOUND')
      }
    })
  })

  it('of another project are 404 everywhere, and a disabled project only reads', async () => {
    const { id, trigger, delay } = await running()
    const [transition] = (await drawn(id)).transitions
    const step = { ...EXIT, afterStepId: trigger }
    const calls = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { name: 'x' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/duplicate`],
      ['GET', `/${id}/stats`],
      ['POST', `/${id}/steps`, step],
      ['PATCH', `/${id}/steps/${delay}`, { name: 'x' }],
      ['DELETE', `/${id}/steps/${delay}`],
      ['POST', `/${id}/transitions`, { fromStepId: trigger, toStepId: delay }],
      ['PATCH', `/${id}/transitions/${transition.id}`, { toStepId: delay }],
      ['DELETE', `/${id}/transitions/${transition.id}`],
      ['GET', `/${id}/executions`],
      ['POST', `/${id}/executions`, { contactId: ID }],
      ['GET', `/${id}/executions/${ID}`],
      ['DELETE', `/${id}/executions/${ID}`],
      ['POST', `/${id}/executions/cancel-all`],
    ] as const
    for (const [method, path, json] of calls) {
      expectEnvelope(await ask(method, path, json, OTHER_SECRET), 404, 'WORKFLOW_NOT_FOUND')
      const [status, code] =
        method === 'GET' ? ([404, 'WORKFLOW_NOT_FOUND'] as const) : ([403, 'PROJECT_DISABLED'] as const)
      expectEnvelope(await ask(method, path, json, DISABLED_SECRET), status, code)
      const nowhere = path.replace(id, 'nothing')
      expectEnvelope(await ask(method, nowhere, json), 404, 'WORKFLOW_NOT_FOUND')
    }
    const create = await ask('POST', '', { name: 'x', eventName: 'x' }, DISABLED_SECRET)
    expectEnvelope(create, 403, 'PROJECT_DISABLED')
    expect((await ask('GET', '', undefined, OTHER_SECRET)).body).toMatchObject({ workflows: [], total: 0 })
  })

  it('say which fields of contacts and of events a condition can ask for', async () => {
    const data = { plan: 'pro', seats: 5, 'x.y': true }
    await test.ask('POST', '/contacts', { json: { email: 'f@example.org', data } })
    const event = { email: 'f@example.org', event: 'bought', data: { amount: 5, 'a.b': 'x', when: '2025-01-01' } }
    await test.ask('POST', '/v1/track', { json: event })
    await test.ask('POST', '/v1/track', { json: { email: 'f@example.org', event: 'left', data: { why: 'x' } } })
    const { status, body } = await ask('GET', '/fields')
    expect({ status, count: body.count }).toEqual({ status: 200, count: body.fields.length })
    expect(body.fields).toEqual(body.typedFields.map(({ field }: { field: string }) => field))
    expect(body.typedFields).toEqual(
      expect.arrayContaining([
        { field: 'email', type: 'string', category: 'contact' },
        { field: 'data.seats', type: 'number', category: 'contact' },
        { field: 'data.x\\.y', type: 'boolean', category: 'contact' },
        { field: 'event.amount', type: 'number', category: 'event' },
        { field: 'event.a\\.b', type: 'string', category: 'event' },
        { field: 'event.when', type: 'date', category: 'event' },
        { field: 'event.why', type: 'string', category: 'event' },
      ]),
    )
    const left = (await ask('GET', '/fields?eventName=left')).body.fields
    expect(left.filter((field: string) => field.startsWith('event.'))).toEqual(['event.why'])
  })

  it('keep what they use from being deleted, and are named as its users', async () => {
    const json = { name: 'Kept', subject: 'S', body: 'B', type: 'TRANSACTIONAL', from: 'me@example.com' }
    const template = (await test.ask('POST', '/templates', { json })).body.id
    const filters = { operator: 'AND', conditions: [{ field: 'email', operator: 'contains', value: 'a' }] }
    const segment = (await test.ask('POST', '/segments', { json: { name: 'Big Spenders', filters } })).body
    await test.ask('POST', '/contacts', { json: { email: 'g@example.org', data: { tier: 'x', level: 1 } } })
    const { id, trigger } = await make({ name: 'Uses', eventName: 'used.trigger' })
    const name = 'Uses'
    const mail = await add(id, { type: 'SEND_EMAIL', templateId: template, afterStepId: trigger })
    const config = {
      operator: 'OR',
      conditions: [
        { field: 'contact.data.tier', operator: 'exists' },
        { field: 'event.level', operator: 'exists' },
        { field: `segment.${segment.id}`, operator: 'memberOfSegment' },
        { field: 'event.used.condition', operator: 'triggered' },
      ],
    }
    const condition = await add(id, { type: 'CONDITION', config })
    const wait = await add(id, { type: 'WAIT_FOR_EVENT', config: { eventName: 'used.wait' } })
    const update = await add(id, { type: 'UPDATE_CONTACT', config: { data: { written: 1 } } })
    const get = async (path: string) => (await test.ask('GET', path)).body
    expect((await get(`/templates/${template}/usage`)).workflows).toEqual([{ id, name, stepId: mail }])
    const users = async (path: string) => {
      const { usedInWorkflows, canDelete } = await get(`${path}/usage`)
      expect(canDelete).toBe(usedInWorkflows.length === 0)
      return usedInWorkflows
    }
    expect(await users('/events/used.trigger')).toEqual([{ id, name }])
    expect(await users('/events/used.wait')).toEqual([{ id, name, stepId: wait }])
    expect(await users('/events/used.condition')).toEqual([{ id, name, stepId: condition }])
    expect(await users('/contacts/fields/tier')).toEqual([{ id, name, stepId: condition }])
    expect(await users('/contacts/fields/written')).toEqual([{ id, name, stepId: update }])
    expect(await users('/contacts/fields/level')).toEqual([])
    const paths = [`/templates/${template}`, `/segments/${segment.id}`, '/events/used.trigger', '/contacts/fields/tier']
    for (const path of paths) {
      const refused = await test.ask('DELETE', path)
      expectEnvelope(refused, 409, 'CONFLICT')
      expect(refused.body.message).toContain('the workflow "Uses"')
    }
    expect((await ask('DELETE', `/${id}`)).status).toBe(204)
    const started = await make({ eventName: `segment.${segment.slug}.entry` })
    expectEnvelope(await test.ask('DELETE', `/segments/${segment.id}`), 409, 'CONFLICT')
    await ask('DELETE', `/${started.id}`)
    for (const path of paths) expect([200, 204]).toContain((await test.ask('DELETE', path)).status)
  })
})
