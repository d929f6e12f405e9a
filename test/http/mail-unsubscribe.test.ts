import { simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { MAIL, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// No store decides any of this: one will do, the quicker.
const store = QUICK

const HOST = 'mx.example.com'
const FULL: DnsRecords = { A: ['192.0.2.1'], TXT: ['v=spf1 a -all'] }

describe('unsubscribing by mail', () => {
  let test: TestApp
  let sink: SmtpSink
  let dns: DnsServer
  let listener: SmtpListener
  let template: string
  let count = 0

  beforeAll(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer({ [HOST]: FULL })
    const inbound = [smtpListener((made) => (listener = made), HOST)]
    const settings = {
      ...LINK_SETTINGS,
      transports: [toSink(sink)],
      inbound,
      dns: nodeDns({ servers: [dns.address] }),
    }
    test = await testApp(store, {}, settings)
    await test.engine.start()
    await until('the host is found', () => test.lines.some(({ message }) => message === 'bounces come to this server'))
    template = await marketing()
  })
  atEndOfFile(async () => {
    await sink.close()
    await dns.close()
  })

  async function marketing(key = SECRET, from = MAIL.from): Promise<string> {
    const json = { name: 'News', subject: 'News', body: '<p>News</p>', type: 'MARKETING', from }
    return (await test.ask('POST', '/templates', { json, key })).body.id
  }
  /** Sends a mail of this template to a contact who is subscribed; `address` is where they can write to leave. */
  async function mailed(id = template, key = SECRET) {
    const to = `p${++count}@reader.example`
    const { body } = await test.ask('POST', '/v1/send', { json: { to, template: id, subscribed: true }, key })
    const [{ contact, email }] = body.data.emails
    const mail = await until('the mail is there', () => sink.messages.find((each) => each.to.includes(to)))
    const parsed = await simpleParser(mail.raw)
    const line = parsed.headerLines.find(({ key: name }) => name === 'list-unsubscribe')?.line ?? ''
    const ways = line.replace(/\s+/g, ' ').match(/<[^>]+>/g) ?? []
    const address = /^<mailto:([^?>]+)\?subject=unsubscribe>$/.exec(ways[1] ?? '')?.[1] ?? ''
    return { id: email as string, contactId: contact.id as string, address, ways, from: mail.from, parsed }
  }
  const write = (to: string | string[], raw: string, from = '') =>
    createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true }).sendMail({
      ...{ envelope: { from, to }, raw },
    })
  const isSubscribed = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body.subscribed
  const eventsOf = async (id: string) =>
    (await test.ask('GET', `/events/contact/${id}`)).body.events.filter(
      ({ name }: { name: string }) => name === 'contact.unsubscribed',
    )
  const receivedCount = async () => (await test.ask('GET', '/emails?status=RECEIVED')).body.total

  it('is offered behind the page, with the return path of the same host', async () => {
    const { ways, from, address, parsed, id } = await mailed()
    expect(ways).toEqual([
      expect.stringMatching(/^<https:\/\/mail\.example\.net\/unsubscribe\/[\w-]+>$/),
      `<mailto:${address}?subject=unsubscribe>`,
    ])
    expect(address).toMatch(/^unsubscribe\+[0-9a-v]{42}@mx\.example\.com$/)
    expect(
      parsed.headers.get('list-unsubscribe-post') ?? parsed.headerLines.map(({ line }) => line).join('\n'),
    ).toContain('One-Click')
    expect(from).toMatch(/^b\+[0-9a-f]{52}@mx\.example\.com$/)
    const plain = await test.ask('POST', '/v1/send', { json: { ...MAIL, to: 'plain@reader.example' } })
    expect(plain.status).toBe(200)
    const sent = await until('it is there', () => sink.messages.find(({ to }) => to.includes('plain@reader.example')))
    expect(sent.raw.toString()).not.toContain('unsubscribe+')
    expect((await test.ask('GET', `/emails/${id}`)).status).toBe(200)
  })

  it('leaves the topic of its mail alone', async () => {
    await test.ask('POST', '/topics', { json: { name: 'Weekly', standing: 'in' } })
    const json = { name: 'Weekly', subject: 'News', body: '<p>News</p>', type: 'MARKETING', topicId: 'weekly' }
    const made = await test.ask('POST', '/templates', { json: { ...json, from: MAIL.from } })
    const { contactId, address } = await mailed(made.body.id)
    await write(address, 'Subject: unsubscribe\r\n\r\n')
    const chosen = await until('the topic is left', async () => {
      const { body } = await test.ask('GET', `/contacts/${contactId}/topics`)
      return body.topics[0].chosen ? body : undefined
    })
    expect(chosen).toMatchObject({ subscribed: true, topics: [{ subscribed: false, source: 'one-click' }] })
    expect(await eventsOf(contactId)).toMatchObject([{ data: { topic: 'weekly', reason: 'link' } }])
    const { data } = (await test.ask('GET', `/activity?contactId=${contactId}&types=contact.unsubscribed`)).body
    expect(data).toMatchObject([{ metadata: { topic: 'weekly', subscribed: false } }])
  })

  it('leaves the return path to senders of others, whose SPF would not speak for them', async () => {
    const { from, address } = await mailed(await marketing(OTHER_SECRET, 'hi@other.example'), OTHER_SECRET)
    expect(from).toBe('hi@other.example')
    expect(address).toContain(`@${HOST}`)
  })

  it.each([
    ['an empty one of a machine', '', ''],
    [
      'one that answers by itself',
      'Auto-Submitted: auto-generated\r\nSubject: unsubscribe\r\n\r\n',
      'bot@reader.example',
    ],
    ['one of a person', 'From: p@reader.example\r\nSubject: unsubscribe\r\n\r\nplease\r\n', 'p@reader.example'],
    [
      'one that looks like a bounce',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b--\r\n',
      '',
    ],
  ])('is done by any message: %s', async (_what, raw, from) => {
    const mail = await mailed()
    const contacts = (await test.ask('GET', '/contacts')).body.total
    for (const to of [mail.address, mail.address.toUpperCase()]) await write(to, raw, from)
    expect(await isSubscribed(mail.contactId)).toBe(false)
    const data = { subscribed: false, reason: 'link' }
    expect(await eventsOf(mail.contactId)).toMatchObject([{ name: 'contact.unsubscribed', emailId: mail.id, data }])
    expect(await receivedCount()).toBe(0)
    expect((await test.ask('GET', '/contacts')).body.total).toBe(contacts)
  })

  it('is refused for a token nobody made, also at a domain of ours, and changes nothing', async () => {
    const mail = await mailed()
    const wrong = mail.address.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
    for (const to of [wrong, wrong.replace(HOST, 'example.com')]) {
      await expect(write(to, 'Subject: unsubscribe\r\n\r\n')).rejects.toThrow(/550 5\.1\.1/)
    }
    expect(await isSubscribed(mail.contactId)).toBe(true)
    expect(await receivedCount()).toBe(0)
  })

  it('takes what else the message is for, and is accepted of who is gone', async () => {
    const [mail, gone] = [await mailed(), await mailed()]
    await test.ask('DELETE', `/contacts/${gone.contactId}`)
    await write(
      [mail.address, 'help@example.com', gone.address],
      'From: a@b.example\r\nSubject: Hi\r\n\r\n',
      'a@b.example',
    )
    expect(await isSubscribed(mail.contactId)).toBe(false)
    await until('the other recipient has it', async () => (await receivedCount()) === 1)
  })
})

describe('the host that receives mail', () => {
  const sent = async (records: DnsRecords, feedback: { returnPathHost?: string | null } = {}, hostname = HOST) => {
    const dns = await startDnsServer({ [HOST]: records })
    const settings = {
      ...LINK_SETTINGS,
      feedback,
      inbound: [smtpListener(undefined, hostname)],
      dns: nodeDns({ servers: [dns.address] }),
    }
    const { engine, project, sink } = await engineWithSink(settings)
    const { id } = await engine.templates.create(project, {
      name: 'N',
      subject: 'N',
      body: '<p>N</p>',
      type: 'MARKETING',
      from: 'a@example.com',
    })
    await engine.start()
    const last = records.MX ? 'MX' : !records.A ? 'AAAA' : feedback.returnPathHost === null ? 'A' : 'TXT'
    const isAsked = typeof feedback.returnPathHost !== 'string' && hostname === HOST
    if (isAsked) await until('the DNS was asked', () => dns.questions.includes(`${last} ${HOST}`))
    // the answer of the last look-up has to arrive
    await new Promise((resolve) => setTimeout(resolve, 50))
    await engine.sending.send(project, { to: 'ada@reader.example', template: id, subscribed: true })
    const [mail] = await sink.waitFor(1)
    await engine.stop()
    await dns.close()
    const named = /unsubscribe\+[0-9a-v]+@([\w.]+)/.exec(mail!.raw.toString().replace(/=\r\n|\r\n /g, ''))?.[1]
    return [named, mail!.from.replace(/^b\+\w+/, 'b')]
  }

  it('is the one the DNS leads to, and takes bounces when it has an SPF record', async () => {
    expect(await sent(FULL)).toEqual([HOST, `b@${HOST}`])
    expect(await sent({ A: ['192.0.2.1'] })).toEqual([HOST, 'a@example.com'])
  })

  it('is none that mail servers would not find', async () => {
    for (const records of [{}, { MX: [{ exchange: '', priority: 0 }], TXT: ['v=spf1 -all'] }]) {
      expect(await sent(records)).toEqual([undefined, 'a@example.com'])
    }
    expect(await sent(FULL, {}, 'localhost')).toEqual([undefined, 'a@example.com'])
  })

  it('is the operator’s to say: another, or none for bounces', async () => {
    expect(await sent({}, { returnPathHost: 'in.example.net' })).toEqual(['in.example.net', 'b@in.example.net'])
    expect(await sent(FULL, { returnPathHost: null })).toEqual([HOST, 'a@example.com'])
  })
})
