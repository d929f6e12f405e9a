import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'

const ADA = 'ada@friend.example'

describe.each([QUICK])('a reply that comes in by SMTP, on $name', (store) => {
  const bodies: { text: string; headers: Record<string, string> }[] = []
  const receiver = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      bodies.push({ text, headers: request.headers as Record<string, string> })
      response.writeHead(204).end()
    })
  })
  let test: TestApp
  let listener: SmtpListener
  const made = async (path: string, json: object) => {
    const { status, text, body } = await test.ask('POST', path, { json })
    expect(status, text).toBeLessThan(300)
    return body
  }
  const send = (mail: object) =>
    createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      ...{ from: `Ada <${ADA}>`, to: 'hello@example.com', subject: 'Re: Shall we?', text: 'Yes' },
      ...mail,
    })

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const plugin = smtpListener((made) => {
      listener = made
    })
    const settings = { egress: { allow: ['127.0.0.0/8'] }, webhooks: { retryDelays: [0] } }
    test = await testApp(store, {}, { inbound: [plugin], ...settings })
    await test.engine.start()
  })
  atEndOfFile(() => void receiver.close())

  it('reaches a webhook, signed, and a workflow that waits for it, while a note of absence reaches neither', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    await made('/webhooks', { url, events: ['email.replied'] })
    const { id } = await made('/workflows', { name: 'Ask', eventName: 'ask' })
    const mail = { from: 'hello@example.com', subject: 'Shall we?', body: '<p>?</p>' }
    await made(`/workflows/${id}/steps`, { type: 'SEND_EMAIL', config: mail })
    const wait = await made(`/workflows/${id}/steps`, {
      ...{ type: 'WAIT_FOR_EVENT', config: { eventName: 'email.replied', timeout: 86_400 } },
    })
    const data = { answer: '{{ event.subject }}', answeredFrom: '{{ event.from }}' }
    await made(`/workflows/${id}/steps`, {
      ...{ type: 'UPDATE_CONTACT', config: { data }, afterStepId: wait.id, branch: 'event' },
    })
    await test.ask('PATCH', `/workflows/${id}`, { json: { enabled: true } })
    await made('/v1/track', { email: ADA, event: 'ask', subscribed: true })

    const run = async () => (await test.ask('GET', `/workflows/${id}/executions`)).body.data[0]
    await until('it waits for the reply', async () => (await run())?.status === 'WAITING')
    const sent = async () => (await test.ask('GET', '/emails?limit=1')).body.data[0]
    const email = await until('its mail is sent', async () => {
      const row = await sent()
      return row?.sentAt === undefined || row.sentAt === null ? undefined : row
    })
    const inReplyTo = `<${email.id}@example.com>`
    await send({ inReplyTo, headers: { 'Auto-Submitted': 'auto-replied' }, subject: 'Away' })
    const received = async () => (await test.ask('GET', '/emails?status=RECEIVED')).body.total
    await until('the note of absence is read', async () => (await received()) === 1, 20_000)
    await send({ inReplyTo })
    await until('the workflow goes on', async () => (await run()).status === 'COMPLETED', 20_000)

    const contact = (await test.ask('GET', `/contacts?search=${encodeURIComponent(ADA)}`)).body.data[0]
    expect(contact.data).toMatchObject({ answer: 'Re: Shall we?', answeredFrom: ADA })
    const delivered = await until('the webhook is called', async () => bodies[0])
    const { secret } = (await test.ask('GET', '/webhooks/secret')).body
    expect(new Webhook(secret).verify(delivered.text, delivered.headers)).toMatchObject({
      type: 'email.replied',
      data: {
        ...{ emailId: email.id, contact: { email: ADA } },
        event: { emailId: email.id, subject: 'Re: Shall we?', from: ADA, sourceType: 'WORKFLOW', campaignId: null },
      },
    })
    // the note of absence came first
    expect(bodies).toHaveLength(1)
  })

  it('is an event without a contact if its author is none: for webhooks and listeners, not for workflows', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/received`
    const endpoint = await made('/webhooks', { url, events: ['email.received'] })
    const workflow = await made('/workflows', { name: 'Answer', eventName: 'email.received', allowReentry: true })
    await made(`/workflows/${workflow.id}/steps`, { type: 'EXIT', afterStepId: workflow.steps[0].id })
    await test.ask('PATCH', `/workflows/${workflow.id}`, { json: { enabled: true } })
    const get = async (path: string) => (await test.ask('GET', path)).body
    const usage = () => get('/events/email.received/usage')
    const heard: { id: string; contactId: string | undefined; from: string }[] = []
    const stop = test.engine.on('email.received', ({ id, contactId, data: { from } }) => {
      heard.push({ id, contactId, from })
    })
    const [contacts, before] = [(await get('/contacts')).total, await usage()]
    const since = bodies.length

    const away = 'away@stranger.example'
    const envelope = { from: '', to: ['hello@example.com'] }
    await send({ envelope, from: away, subject: 'Automatic reply: Shall we?' })
    await until('the first is sent', async () => bodies.length > since, 20_000)
    await send({ envelope, raw: 'Subject: from nowhere\r\n\r\nx\r\n' })
    await until('the second is sent', async () => bodies.length > since + 1, 20_000)
    stop()

    const { secret } = await get('/webhooks/secret')
    const told = bodies.slice(since).map(({ text, headers }) => new Webhook(secret).verify(text, headers) as object)
    expect(told).toMatchObject([
      { type: 'email.received', data: { event: { from: away, autoReply: true, spf: expect.any(String) } } },
      { type: 'email.received', data: { event: { from: '', subject: 'from nowhere', autoReply: true } } },
    ])
    for (const { data } of told as { data: object }[]) expect(data).not.toHaveProperty('contact')
    const { events } = await get('/events?eventName=email.received&limit=2')
    expect(events).toMatchObject([
      { contactId: null, contact: null, data: { from: '' } },
      { contactId: null, contact: null, data: { from: away } },
    ])
    // the other project has the domain, too
    expect(heard.filter(({ id }) => events.some((one: { id: string }) => one.id === id))).toEqual([
      { id: events[1].id, contactId: undefined, from: away },
      { id: events[0].id, contactId: undefined, from: '' },
    ])
    const [activity] = (await get('/activity?types=email.received&limit=1')).data
    expect(activity).toMatchObject({ contactId: null, contactEmail: null, metadata: { subject: 'from nowhere' } })
    expect(await usage()).toMatchObject({ totalCount: before.totalCount + 2, uniqueContacts: before.uniqueContacts })
    expect((await get('/contacts')).total).toBe(contacts)
    expect((await get(`/workflows/${workflow.id}/executions`)).total).toBe(0)

    // a person who asks for it is forgotten: a contact with the address takes along what came from there before
    const [, { emailId }] = events
    const { id } = await made('/contacts', { email: away, subscribed: false })
    expect((await get(`/events/contact/${id}`)).events).toMatchObject([{ name: 'contact.created' }])
    expect((await test.ask('DELETE', `/contacts/${id}`)).status).toBe(204)
    await until('it is erased', async () => (await get(`/emails/${emailId}`)).redactedAt !== undefined, 20_000)
    const left = async () => (await get('/events?eventName=email.received&limit=2')).events
    await until('its event, too', async () => (await left())[1]?.data.from !== away, 20_000)
    expect((await left())[0].data.from).toBe('')
    expect(await get(`/emails/${emailId}`)).toMatchObject({ subject: null, text: null, events: [] })
    const log = (await get(`/webhooks/deliveries?endpointId=${endpoint.id}`)).data
    expect(log.map(({ eventId }: { eventId: string }) => eventId)).toEqual([events[0].id])
  })
})
