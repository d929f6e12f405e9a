import { simpleParser } from 'mailparser'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailwright } from '../../server/nodemailer/index.ts'
import { PROJECT, SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'

const MAIL: SendMailOptions = {
  from: 'Ada <hello@example.com>',
  to: ['Grace <grace@example.org>', 'bob@example.org'],
  cc: 'cy@example.org',
  bcc: 'di@example.org',
  replyTo: [{ name: 'Hilfe für alle', address: 'help@example.com' }, 'sales@example.com'],
  subject: 'Ümlaut {{ name }}',
  text: 'Hi {{ name }}',
  html: '<p>Hi {{ name }} <img src="cid:dot"></p>',
  amp: '<!doctype html><html ⚡4email></html>',
  icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n' },
  alternatives: [{ contentType: 'text/x-web-markdown; charset=utf-8', content: '**Hi**' }],
  attachments: [
    { filename: 'dot.png', content: Buffer.from('iVBORw0KGgo=', 'base64'), cid: 'dot' },
    { filename: 'notes ü.txt', content: 'notes', contentType: 'text/plain; charset=utf-8' },
  ],
  headers: { 'X-Shop': 'a' },
  list: { help: 'help@example.com' },
  priority: 'high',
  inReplyTo: '<1@example.org>',
  references: '<1@example.org>',
}

describe(`nodemailer on ${QUICK.name}`, () => {
  let server: CompatServer

  beforeAll(async () => {
    server = await compatServer(QUICK)
  })
  afterAll(() => server.close())

  const overHttp = () => createTransport(mailwright({ baseUrl: `${server.url}/`, key: SECRET }))
  const inProcess = async () => {
    const { engine } = server.test
    const project = await engine.projects.get(PROJECT)
    return createTransport(mailwright({ engine, project }))
  }

  it.each(['over HTTP', 'in the process'])('sends every option of a message %s', async (way) => {
    const transport = way === 'over HTTP' ? overHttp() : await inProcess()
    const before = way === 'over HTTP' ? 0 : 4
    const info = await transport.sendMail({ ...MAIL, messageId: `<${way.replaceAll(' ', '-')}@example.com>` })
    expect(info).toMatchObject({ envelope: { from: 'hello@example.com' }, rejected: [] })
    expect(info.accepted).toEqual(['grace@example.org', 'bob@example.org', 'cy@example.org', 'di@example.org'])
    const mails = (await server.sink.waitFor(before + 4)).slice(before)
    expect(mails.map(({ to }) => to[0]).sort()).toEqual([...info.accepted].sort())
    const records = await Promise.all(info.ids.map((id) => server.test.ask('GET', `/emails/${id}`)))
    expect(records.map(({ body }) => body.to)).toEqual(info.accepted)
    expect(records[0]?.body.replyTo).toBe('Hilfe für alle <help@example.com>, sales@example.com')
    const parsed = await simpleParser(mails[0]!.raw)
    expect(parsed.subject).toBe('Ümlaut {{ name }}')
    expect(parsed.text).toContain('Hi {{ name }}')
    expect(parsed.headers.get('to')).toMatchObject({ text: '"Grace" <grace@example.org>, bob@example.org' })
    expect(parsed.headers.has('bcc')).toBe(false)
    expect(parsed.headers.get('x-shop')).toBe('a')
    expect(parsed.inReplyTo).toBe('<1@example.org>')
    const raw = String(mails[0]!.raw)
    for (const part of ['text/x-amp-html', 'text/calendar', 'text/x-web-markdown', 'filename*', 'Content-Id: <dot>'])
      expect(raw.toLowerCase()).toContain(part.toLowerCase())
  })

  it('sends once for an idempotency key, later, and with tags', async () => {
    const scheduledFor = new Date(Date.now() + 3_600_000)
    const own = { mailwright: { idempotencyKey: 'order-17', scheduledFor, tags: { order: '17' } } }
    const mail = { from: 'hello@example.com', to: 'eve@example.org', subject: 'Later', text: 'x', ...own }
    // options of the caller that were left out
    const bare = { ...mail, to: 'fay@example.org', mailwright: undefined }
    expect((await overHttp().sendMail(bare)).accepted).toEqual(['fay@example.org'])
    const first = await overHttp().sendMail(mail)
    const again = await overHttp().sendMail(mail)
    expect(again.ids).toEqual(first.ids)
    // answered with the first mails, these recipients would never get it, nor at this time
    const others = [{ to: 'fay@example.org' }, { mailwright: { ...own.mailwright, tags: {} } }]
    for (const other of others)
      await expect(overHttp().sendMail({ ...mail, ...other })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      })
    const { body } = await server.test.ask('GET', `/emails/${first.id}`)
    expect(body).toMatchObject({ status: 'QUEUED', dueAt: scheduledFor.toISOString(), tags: { order: '17' } })
  })

  it('rejects with the reason', async () => {
    const wrong = overHttp().sendMail({ from: 'x@elsewhere.example', to: 'a@example.org', text: 'x' })
    await expect(wrong).rejects.toMatchObject({ code: 'DOMAIN_NOT_VERIFIED', responseCode: 403 })
    const mail = { from: 'hello@example.com', to: 'a@example.org', text: 'x', mailwright: { scheduledFor: 'soon' } }
    for (const transport of [overHttp(), await inProcess()]) {
      await expect(transport.sendMail(mail)).rejects.toMatchObject({
        message: expect.stringContaining('scheduledFor'),
      })
    }
    const stranger = createTransport(mailwright({ baseUrl: server.url, key: `sk_${'f'.repeat(48)}` }))
    const refused = stranger.sendMail({ from: 'hello@example.com', to: 'a@example.org', text: 'x' })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_API_KEY', responseCode: 401 })
  })

  it('refuses options that would do nothing, by name, and answers as over HTTP in the process', async () => {
    const mail = { from: 'hello@example.com', to: 'a@example.org', text: 'x' }
    const refusals: readonly (readonly [object, string])[] = [
      [{ mailwright: { idempotencykey: 'order-1' } }, 'options.idempotencykey: is not a known option'],
      [{ dsn: { notify: 'never' } }, 'dsn: is not sent on'],
      [{ envelope: { from: mail.from, to: mail.to, dsn: { notify: 'never' } } }, 'dsn: is not sent on'],
      [{ auth: { user: 'ada' } }, 'auth: is not used'],
      [{ requireTLSExtensively: true }, 'requireTLSExtensively: is not sent on'],
    ]
    const refused = { code: 'VALIDATION_ERROR', responseCode: 422 }
    for (const transport of [overHttp(), await inProcess()]) {
      for (const [options, message] of refusals) {
        const sending = transport.sendMail({ ...mail, ...options } as SendMailOptions)
        await expect(sending).rejects.toMatchObject({ ...refused, message: expect.stringContaining(message) })
      }
      const wrong = transport.sendMail({ ...mail, from: 'x@elsewhere.example' })
      await expect(wrong).rejects.toMatchObject({ code: 'DOMAIN_NOT_VERIFIED', responseCode: 403 })
    }
  })

  it('tells whether it can send, and the Message-ID of a message that is given whole', async () => {
    for (const transport of [overHttp(), await inProcess()]) {
      expect(await transport.verify()).toBe(true)
      expect(await new Promise((told) => transport.verify((error, success) => told(error ?? success)))).toBe(true)
    }
    const stranger = createTransport(mailwright({ baseUrl: server.url, key: `sk_${'f'.repeat(48)}` }))
    await expect(stranger.verify()).rejects.toMatchObject({ code: 'INVALID_API_KEY', responseCode: 401 })
    const raw = 'From: hello@example.com\r\nTo: whole@example.org\r\nMessage-ID:\r\n <whole@example.com>\r\n\r\nx'
    const envelope = { from: 'hello@example.com', to: 'whole@example.org' }
    const later = { mailwright: { scheduledFor: new Date(Date.now() + 3_600_000) } }
    expect((await overHttp().sendMail({ envelope, raw, ...later })).messageId).toBe('<whole@example.com>')
  })

  it('takes no message that is none', async () => {
    const raw = (text: string) => Buffer.from(text).toString('base64')
    const wrong: readonly (readonly [object, string])[] = [
      [{ to: [], message: raw('From: hello@example.com\n\nx') }, 'to'],
      [{ to: 'no address', message: raw('From: hello@example.com\n\nx') }, 'to'],
      [{ to: 'a@example.org', message: '%%%' }, 'message'],
      [{ to: 'a@example.org', message: raw('no header') }, 'message'],
      [{ to: 'a@example.org', message: raw('From: hello@example.com\n\n\0') }, 'message'],
      [{ to: 'a@example.org' }, 'message'],
    ]
    for (const [json, field] of wrong) {
      const { status, body } = await server.test.ask('POST', '/v1/send/message', { json })
      expect([status, body.error.errors[0].field.split('.')[0]]).toEqual([422, field])
    }
    const bare = { to: 'a@example.org', message: raw('From: hello@example.com\nSubject: x\n\na\rb\nc') }
    expect((await server.test.ask('POST', '/v1/send/message', { json: bare })).status).toBe(200)
  })
})
