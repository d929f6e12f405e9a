import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, MAIL, OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

// The stored fields have their contract on both stores; this is what the API makes of them.
describe(`what can be done with one mail, on ${STRICT.name}`, () => {
  let test: TestApp
  const send = async (change: object = {}) => {
    const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, ...change } })
    return body.data.emails[0].email as string
  }
  const waiting = (change: object = {}) => send({ scheduledFor: soon(3600), ...change })
  const sent = async (change: object = {}) => {
    const id = await send(change)
    const isSent = async () => (await test.ask('GET', `/emails/${id}`)).body.status === 'DELIVERED'
    await until('the mail is delivered', isSent)
    return id
  }

  beforeAll(async () => {
    test = await testApp(STRICT, {}, { publicUrl: 'https://mail.example.com' })
    await test.engine.start()
  })

  it('is refused for mails of others, of a disabled project and for unknown ids', async () => {
    const id = await waiting()
    const json = { scheduledFor: soon(60) }
    for (const [method, path, options] of [
      ['POST', 'cancel', {}],
      ['PATCH', '', { json }],
      ['POST', 'resend', {}],
      ['GET', 'raw', {}],
      ['GET', 'headers', {}],
    ] as const) {
      const asked = (which: string, key?: string) =>
        test.ask(method, `/emails/${which}${path && `/${path}`}`, { ...options, ...(key ? { key } : {}) })
      expectEnvelope(await asked(id, OTHER_SECRET), 404, 'EMAIL_NOT_FOUND')
      expectEnvelope(await asked(UNKNOWN_ID), 404, 'EMAIL_NOT_FOUND')
      expectEnvelope(await asked('nothing'), 404, 'EMAIL_NOT_FOUND')
      if (method !== 'GET') expectEnvelope(await asked(id, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    }
    expect((await test.ask('GET', `/emails/${id}`)).body.status).toBe('QUEUED')
  })

  it('cancels a mail that waits, once', async () => {
    const id = await waiting()
    const cancelled = await test.ask('POST', `/emails/${id}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { id, status: 'SKIPPED', skipReason: 'cancelled' } })
    expect(cancelled.body).not.toHaveProperty('dueAt')
    expectEnvelope(await test.ask('POST', `/emails/${id}/cancel`), 409, 'CONFLICT')
    expectEnvelope(await test.ask('PATCH', `/emails/${id}`, { json: { scheduledFor: soon(60) } }), 409, 'CONFLICT')
    expectEnvelope(await test.ask('POST', `/emails/${await sent()}/cancel`), 409, 'CONFLICT')
  })

  it('gives a mail another time within the limits of a send, and before its own end', async () => {
    const id = await waiting({ expiresAt: soon(7200) })
    const asked = (json: object) => test.ask('PATCH', `/emails/${id}`, { json })
    const time = soon(7000)
    expect(await asked({ scheduledFor: time })).toMatchObject({ status: 200, body: { id, dueAt: time } })
    const refusals = [
      [{ scheduledFor: soon(-61) }, 'too_small'],
      [{ scheduledFor: soon(31 * 86_400) }, 'too_big'],
      [{ scheduledFor: soon(7201) }, 'too_big'],
      [{ scheduledFor: 'tomorrow' }, 'invalid_date'],
      [{ scheduledFor: null }, 'invalid_type'],
      [{}, 'required'],
    ] as const
    for (const [json, code] of refusals) {
      const { status, body } = await asked(json)
      expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: 'scheduledFor', code })]])
    }
    expect((await asked({ scheduledAt: time })).body.error.errors).toMatchObject([
      { field: 'scheduledFor' },
      { field: 'scheduledAt' },
    ])
    expect((await test.ask('GET', `/emails/${id}`)).body.dueAt).toBe(time)
    const free = await waiting()
    const { body } = await test.ask('PATCH', `/emails/${free}`, { json: { scheduledFor: soon(20 * 86_400) } })
    expect(new Date(body.expiresAt).getTime()).toBeGreaterThan(Date.now() + 20 * 86_400_000)
  })

  it('sends a mail again, once per key', async () => {
    const id = await sent({ data: { name: 'Ada' } })
    const again = (headers: Record<string, string>, json?: object) =>
      test.ask('POST', `/emails/${id}/resend`, { headers, ...(json ? { json } : {}) })
    const first = await again({ 'idempotency-key': 'k1' })
    expect(first).toMatchObject({ status: 201, body: { to: 'ada@example.org' } })
    expect(first.body.id).not.toBe(id)
    // as "curl -d {}" sends it, which says no more than nothing
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const bare = await test.ask('POST', `/emails/${id}/resend`, { raw: ' {} ', headers: form })
    expect(bare.status).toBe(201)
    const second = await again({ 'idempotency-key': 'k1' })
    expect([second.status, second.body.id]).toEqual([201, first.body.id])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expectEnvelope(await again({ 'idempotency-key': 'k1' }, { to: 'b@example.org' }), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectEnvelope(await again({}, { to: 'nobody' }), 422, 'VALIDATION_ERROR')
    const other = await sent({ to: 'c@example.org' })
    // a key counts for one mail
    const { status, body } = await test.ask('POST', `/emails/${other}/resend`, { headers: { 'idempotency-key': 'k1' } })
    expect([status, body.to]).toEqual([201, 'c@example.org'])
  })

  it('says why a mail cannot be sent again', async () => {
    const refused = async (id: string, status: number, code: string, words: RegExp, json: object = {}) => {
      const answer = await test.ask('POST', `/emails/${id}/resend`, { json })
      expectEnvelope(answer, status, code)
      expect(answer.body.error.message).toMatch(words)
    }
    await refused(await waiting(), 409, 'CONFLICT', /is QUEUED/)
    const id = await sent({ to: 'gone@example.org' })
    await test.ask('POST', '/suppressions', { json: { email: 'no@example.org' } })
    await refused(id, 409, 'CONFLICT', /no@example.org is on the suppression list/, { to: 'no@example.org' })
    const template = { name: 'News', subject: 'News', body: '<p>News</p>', type: 'MARKETING' }
    const { body: made } = await test.ask('POST', '/templates', { json: template })
    const news = await sent({ template: made.id, subscribed: true, to: 'fan@example.org' })
    await refused(news, 400, 'BAD_REQUEST', /stranger@example.org is not subscribed/, { to: 'stranger@example.org' })
    const { contactId } = (await test.ask('GET', `/emails/${id}`)).body
    await test.ask('DELETE', `/contacts/${contactId}`)
    await refused(id, 409, 'CONFLICT', /its contact was deleted/)
    await refused(id, 409, 'CONFLICT', /its contact was deleted/, { to: 'else@example.org' })
  })

  it('gives the message as it is sent, to GET and HEAD, and not once its text is gone', async () => {
    const body = '<p>Dear {{ name }}</p><a href="https://shop.example/">Shop</a>'
    const id = await sent({ to: 'raw@example.org', subject: 'Hi {{ name }}', body, data: { name: 'Ada 🙂' } })
    const raw = await test.ask('GET', `/emails/${id}/raw`)
    expect(raw.status).toBe(200)
    expect(raw.headers.get('content-type')).toBe('message/rfc822')
    expect(raw.headers.get('content-disposition')).toBe(`attachment; filename="${id}.eml"`)
    const mail = await simpleParser(raw.text)
    expect([mail.subject, mail.messageId]).toEqual(['Hi Ada 🙂', `<${id}@example.com>`])
    expect(mail.html).toContain('Dear Ada 🙂')
    expect(mail.html).toContain('https://mail.example.com/t/c/')
    const { tries } = (await test.ask('GET', `/emails/${id}`)).body
    expect(tries).toEqual([expect.objectContaining({ transport: 'mail-outbox', outcome: 'accepted', answers: [] })])
    expect(mail.date!.getTime()).toBe(Math.floor(new Date(tries[0].at).getTime() / 1000) * 1000)
    const head = await test.ask('HEAD', `/emails/${id}/raw`)
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'message/rfc822'])
    const later = await waiting({ to: 'later@example.org' })
    const { dueAt } = (await test.ask('GET', `/emails/${later}`)).body
    const planned = await simpleParser((await test.ask('GET', `/emails/${later}/raw`)).text)
    expect(planned.date?.getTime()).toBe(Math.floor(new Date(dueAt).getTime() / 1000) * 1000)

    const { contactId } = (await test.ask('GET', `/emails/${id}`)).body
    await test.ask('DELETE', `/contacts/${contactId}`)
    await until('it is erased', async () => (await test.ask('GET', `/emails/${id}`)).body.to === 'deleted')
    expectEnvelope(await test.ask('GET', `/emails/${id}/raw`), 404, 'RESOURCE_NOT_FOUND')
    expectEnvelope(await test.ask('GET', `/emails/${id}/headers`), 404, 'RESOURCE_NOT_FOUND')
  })

  it('gives the header as it is sent, in order, unfolded and decoded', async () => {
    const [subject, note] = ['Grüße 🙂 an alle', 'ein langer Wert '.repeat(12).trim()]
    const headers = { 'X-Note': note, 'X-Tag': '<b>größer</b>' }
    const id = await sent({ subscribed: true, name: 'Müller & Söhne', subject, headers, to: 'head@example.org' })
    const { status, body } = await test.ask('GET', `/emails/${id}/headers`)
    expect(status).toBe(200)
    const fields = body.headers as { name: string; value: string }[]
    const written = (await test.ask('GET', `/emails/${id}/raw`)).text.split('\r\n\r\n', 1)[0]!
    const names = written.split('\r\n').flatMap((line) => /^[^\s:]+(?=:)/.exec(line) ?? [])
    expect(fields.map(({ name }) => name)).toEqual(names)
    const value = (wanted: string) => fields.find(({ name }) => name === wanted)?.value
    expect(value('Subject')).toBe(subject)
    expect([value('X-Note'), value('X-Tag')]).toEqual([note, '<b>größer</b>'])
    expect(value('To')).toBe('head@example.org')
    expect(value('Message-ID')).toBe(`<${id}@example.com>`)
  })
})
