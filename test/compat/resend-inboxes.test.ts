import { simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { QUICK } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'

const HELP = 'help@example.com'

describe(`the inboxes and automations of Resend's own package on ${QUICK.name}`, () => {
  let server: CompatServer
  let resend: Resend
  let listener: SmtpListener
  let dns: DnsServer

  beforeAll(async () => {
    dns = await startDnsServer({})
    const plugin = smtpListener((made) => {
      listener = made
    })
    server = await compatServer(QUICK, { inbound: [plugin], dns: nodeDns({ servers: [dns.address] }) })
    resend = new Resend(SECRET, { baseUrl: `${server.url}/compat/resend` })
  })
  afterAll(async () => {
    await server.close()
    await dns.close()
  })

  /** The data of an answer that must be no error. */
  async function ok<T>(answer: PromiseLike<{ data: T | null; error: unknown }>): Promise<T> {
    const { data, error } = await answer
    expect(error).toBeNull()
    return data!
  }

  const receive = (subject: string, text: string) =>
    createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      from: 'Ada Lovelace <ada@friend.example>',
      to: HELP,
      cc: 'bob@friend.example',
      subject,
      text,
    })

  it('reads, labels, files and answers conversations', async () => {
    const { id: inboxId } = await ok(resend.inboxes.create({ emailAddress: HELP, name: 'Help', fromName: 'Acme Help' }))
    expect((await resend.inboxes.create({ emailAddress: HELP })).error).toMatchObject({ statusCode: 409 })
    expect((await resend.inboxes.create({ emailAddress: 'x@example.com', forwarding: true })).error?.message).toMatch(
      /`forwarding` field/,
    )
    await receive('Printer', 'It does not print.')
    await receive('Order', 'Where is it?')
    const list = async (more: object = {}) =>
      (await ok(resend.inboxes.threads.list({ emailAddress: 'Help@Example.com', ...more }))).data
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(2)
    expect(await ok(resend.inboxes.get(HELP))).toMatchObject({
      object: 'inbox',
      id: inboxId,
      name: 'Help',
      email_address: HELP,
      from_name: 'Acme Help',
      unread: 2,
      drafts: 0,
    })
    expect((await ok(resend.inboxes.list())).data).toMatchObject([{ id: inboxId, unread: 2 }])
    const [newest, oldest] = await list()
    expect(newest).toMatchObject({
      subject: 'Order',
      from: 'Ada Lovelace <ada@friend.example>',
      to: [HELP],
      email_count: 1,
      has_draft: false,
      read: false,
      folder: 'inbox',
    })
    // pages by the id of a thread, in both directions
    expect(await ok(resend.inboxes.threads.list({ inboxId, limit: 1 }))).toMatchObject({ has_more: true })
    expect(await list({ limit: 1, after: newest!.id })).toMatchObject([{ id: oldest!.id }])
    expect(await list({ after: oldest!.id })).toEqual([])
    expect(await list({ before: oldest!.id })).toMatchObject([{ id: newest!.id }])
    const wrong = await resend.inboxes.threads.list({ inboxId, after: inboxId })
    expect(wrong.error).toMatchObject({ statusCode: 404, name: 'not_found' })

    const { id: labelId } = await ok(resend.inboxes.labels.create({ inboxId, name: 'Eilt sehr', color: '#d92d20' }))
    expect((await resend.inboxes.labels.create({ inboxId, name: 'Eilt sehr' })).error).toMatchObject({
      statusCode: 409,
    })
    expect((await resend.inboxes.labels.create({ inboxId, name: 'x', color: 'red' })).error?.message).toMatch(
      /`color\.1/,
    )
    await ok(resend.inboxes.labels.update({ inboxId, labelId, color: '#123456' }))
    expect((await ok(resend.inboxes.labels.list({ inboxId }))).data).toMatchObject([
      { id: labelId, name: 'Eilt sehr', color: '#123456' },
    ])
    const threadId = oldest!.id
    const label = { id: labelId, name: 'Eilt sehr', color: '#123456' }
    expect((await ok(resend.inboxes.threads.labels.add({ inboxId, threadId, labels: [labelId] }))).data).toEqual([
      label,
    ])
    expect(await list({ labels: [labelId] })).toMatchObject([{ id: threadId, labels: [label] }])
    expect(await ok(resend.inboxes.threads.update({ inboxId, threadId, read: true }))).toMatchObject({
      object: 'inbox_thread',
      read: true,
      labels: [label],
    })
    expect(await list({ read: false })).toMatchObject([{ subject: 'Order' }])
    expect(await list({ read: true })).toMatchObject([{ subject: 'Printer' }])
    expect((await ok(resend.inboxes.threads.labels.remove({ inboxId, threadId, labelId }))).data).toEqual([])
    expect((await ok(resend.inboxes.threads.labels.set({ inboxId, threadId, labels: [labelId] }))).data).toEqual([
      label,
    ])
    const rules = [{ subject: 'urgent', labels: ['Eilt sehr'] }]
    const ruled = await server.test.ask('PATCH', `/inboxes/${inboxId}`, { json: { rules } })
    expect(ruled.status, JSON.stringify(ruled.body)).toBe(200)
    // a thread that was thrown away keeps its labels, too
    const move = (folder: string) => server.test.ask('PATCH', `/threads/${threadId}`, { json: { folder } })
    expect((await move('trash')).status).toBe(200)
    const renamed = await ok(resend.inboxes.labels.update({ inboxId, labelId, name: 'Dringend' }))
    expect((await move('inbox')).status).toBe(200)
    expect((await ok(resend.inboxes.labels.list({ inboxId }))).data).toMatchObject([
      { id: renamed.id, name: 'Dringend', color: '#123456' },
    ])
    expect(await list({ labels: [renamed.id] })).toMatchObject([{ id: threadId, labels: [{ name: 'Dringend' }] }])
    const { body: inbox } = await server.test.ask('GET', `/inboxes/${inboxId}`)
    expect(inbox.rules).toMatchObject([{ labels: ['Dringend'] }])
    await ok(resend.inboxes.labels.create({ inboxId, name: 'Other' }))
    const taken = await resend.inboxes.labels.update({ inboxId, labelId: renamed.id, name: 'Other' })
    expect(taken.error).toMatchObject({ statusCode: 409 })
    const found = async (more: object) => (await ok(resend.inboxes.threads.search({ inboxId, ...more }))).data
    expect(await found({ query: 'PRINT', from: ['ada@friend.example'] })).toMatchObject([{ id: threadId }])
    expect(await found({ query: 'nothing of the kind' })).toEqual([])
    expect(await found({ endDate: '2020-01-01' })).toEqual([])
    expect((await resend.inboxes.threads.search({ inboxId, hasAttachment: true })).error).toMatchObject({
      statusCode: 422,
    })

    const { data: messages } = await ok(resend.inboxes.threads.emails.list({ inboxId, threadId }))
    expect(messages).toMatchObject([
      { direction: 'inbound', from: 'Ada Lovelace <ada@friend.example>', to: [HELP], cc: ['bob@friend.example'] },
    ])
    const emailId = messages[0]!.id
    expect(await ok(resend.inboxes.threads.emails.get({ inboxId, threadId, emailId }))).toMatchObject({ id: emailId })
    const { id: reply } = await ok(
      resend.inboxes.threads.emails.reply({ inboxId, threadId, emailId, text: 'Is it <on>?', replyAll: true }),
    )
    const { id: forward } = await ok(
      resend.inboxes.threads.emails.forward({
        inboxId,
        threadId,
        emailId,
        to: 'tech@friend.example',
        html: '<p>See</p>',
      }),
    )
    const sent = await server.sink.waitFor(2)
    const mails = await Promise.all(sent.map(({ raw }) => simpleParser(raw)))
    expect(mails.find(({ subject }) => subject === 'Re: Printer')).toMatchObject({
      html: expect.stringContaining('Is it &lt;on&gt;?'),
      from: { text: '"Acme Help" <help@example.com>' },
      cc: { text: 'bob@friend.example' },
    })
    expect(mails.find(({ to }) => [to].flat()[0]?.text === 'tech@friend.example')?.subject).toMatch(/Printer/)
    expect(await ok(resend.emails.get(reply))).toMatchObject({ to: ['Ada Lovelace <ada@friend.example>'] })
    expect(await ok(resend.emails.get(forward))).toMatchObject({ to: ['tech@friend.example'] })
    const attached = await resend.inboxes.threads.emails.reply({
      inboxId,
      threadId,
      emailId,
      text: 'x',
      attachments: [{ filename: 'a.txt', content: 'eA==' }],
    })
    expect(attached.error).toMatchObject({ statusCode: 422 })
    expect((await ok(resend.inboxes.drafts.list({ inboxId }))).data).toEqual([])

    await ok(resend.inboxes.threads.update({ inboxId, threadId, folder: 'archive' }))
    expect(await list({ folders: ['archive', 'sent'] })).toContainEqual(expect.objectContaining({ id: threadId }))
    expect((await resend.inboxes.threads.list({ inboxId, folders: ['inbox', 'spam'] })).error).toMatchObject({
      statusCode: 422,
    })
    expect(await ok(resend.inboxes.threads.remove({ inboxId, threadId }))).toMatchObject({ deleted: true })
    expect(await ok(resend.inboxes.threads.get({ inboxId, threadId }))).toMatchObject({ folder: 'trash' })
  })

  it('writes drafts, and sends them once', async () => {
    const { id: inboxId } = await ok(resend.inboxes.create({ emailAddress: 'sales@example.com' }))
    const { id: draftId } = await ok(
      resend.inboxes.drafts.create({ inboxId, to: 'Cy <cy@friend.example>', subject: 'Offer', html: '<p>10 %</p>' }),
    )
    await ok(resend.inboxes.drafts.update({ inboxId, draftId, cc: ['di@friend.example'], text: 'Twenty' }))
    expect(await ok(resend.inboxes.drafts.get({ inboxId, draftId }))).toMatchObject({
      object: 'inbox_draft',
      type: 'standalone',
      to: ['Cy <cy@friend.example>'],
      cc: ['di@friend.example'],
      html: expect.stringContaining('Twenty'),
      email_id: null,
    })
    expect((await ok(resend.inboxes.drafts.list({ inboxId }))).data).toMatchObject([{ id: draftId, snippet: 'Twenty' }])
    const other = await resend.inboxes.drafts.get({ emailAddress: HELP, draftId })
    expect(other.error).toMatchObject({ statusCode: 404 })
    const { id } = await ok(resend.inboxes.drafts.send({ inboxId, draftId }))
    expect(await ok(resend.emails.get(id))).toMatchObject({ subject: 'Offer' })
    expect((await resend.inboxes.drafts.send({ inboxId, draftId })).error).toMatchObject({ statusCode: 409 })
    const { id: second } = await ok(resend.inboxes.drafts.create({ inboxId, subject: 'No' }))
    await ok(resend.inboxes.drafts.remove({ inboxId, draftId: second }))
    expect((await ok(resend.inboxes.drafts.list({ inboxId }))).data).toEqual([])
    await ok(resend.inboxes.update(inboxId, { name: 'Sales', fromName: 'Acme Sales' }))
    expect(await ok(resend.inboxes.remove(inboxId))).toMatchObject({ deleted: true })
    expect((await resend.inboxes.get('sales@example.com')).error).toMatchObject({ statusCode: 404 })
  })

  it('runs an automation for whom an event starts it', async () => {
    const template = await ok(
      resend.templates.create({ name: 'Pro', from: 'hello@example.com', subject: 'Pro', html: '<p>{{{EMAIL}}}</p>' }),
    )
    const { id } = await ok(
      resend.automations.create({
        name: 'Welcome',
        status: 'enabled',
        steps: [
          { key: 'start', type: 'trigger', config: { eventName: 'user.created' } },
          { key: 'wait', type: 'delay', config: { duration: '1 second' } },
          {
            key: 'who',
            type: 'contact_update',
            config: { firstName: { var: 'event.name' }, properties: { plan: 'pro' } },
          },
          {
            key: 'plan',
            type: 'condition',
            config: { type: 'rule', field: 'contact.first_name', operator: 'eq', value: 'Ida' },
          },
          { key: 'mail', type: 'send_email', config: { template: { id: template.id }, subject: 'Welcome' } },
          { key: 'paid', type: 'wait_for_event', config: { eventName: 'paid', timeout: '3 days' } },
        ],
        connections: [
          { from: 'start', to: 'wait' },
          { from: 'wait', to: 'who' },
          { from: 'who', to: 'plan' },
          { from: 'plan', to: 'mail', type: 'condition_met' },
          { from: 'mail', to: 'paid' },
        ],
      }),
    )
    const read = await ok(resend.automations.get(id))
    expect(read).toMatchObject({ object: 'automation', name: 'Welcome', status: 'enabled' })
    expect(read.steps.map(({ type }) => type)).toEqual([
      'trigger',
      'delay',
      'contact_update',
      'condition',
      'send_email',
      'wait_for_event',
    ])
    expect(read.steps.at(-1)?.config).toEqual({ event_name: 'paid', timeout: '259200 seconds' })
    expect(read.connections.map(({ type }) => type)).toContain('condition_met')
    await ok(resend.events.send({ event: 'user.created', email: 'ida@example.org', payload: { name: 'Ida' } }))
    const runs = async () => (await ok(resend.automations.runs.list({ automationId: id, status: ['running'] }))).data
    await expect
      .poll(async () => (await ok(resend.emails.list())).data.some(({ subject }) => subject === 'Welcome'), {
        timeout: 20_000,
      })
      .toBe(true)
    const [run] = await runs()
    const { steps } = await ok(resend.automations.runs.get({ automationId: id, runId: run!.id }))
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toContain('send_email completed')
    expect((await ok(resend.events.list())).data).toContainEqual(expect.objectContaining({ name: 'user.created' }))
    expect(await ok(resend.events.get('user.created'))).toMatchObject({ object: 'event', schema: null })
    expect((await ok(resend.contactProperties.list())).data).toContainEqual(
      expect.objectContaining({ key: 'plan', type: 'string' }),
    )
    expect(await ok(resend.contactProperties.get('plan'))).toMatchObject({ key: 'plan' })
    expect(await ok(resend.automations.stop(id))).toMatchObject({ status: 'disabled' })
    expect(await runs()).toEqual([])
    const copy = await ok(resend.automations.duplicate(id))
    await ok(resend.automations.update(copy.id, { name: 'Copy' }))
    expect((await ok(resend.automations.list({ status: 'disabled' }))).data.map(({ name }) => name)).toContain('Copy')
    await ok(resend.automations.remove(copy.id))
    const variables = await resend.automations.create({
      name: 'x',
      steps: [
        { key: 'start', type: 'trigger', config: { eventName: 'a' } },
        { key: 'mail', type: 'send_email', config: { template: { id: template.id, variables: { a: 1 } } } },
      ],
      connections: [],
    })
    expect(variables.error?.message).toMatch(/steps\.1\.config\.template\.variables/)
  })

  it('counts mails, looks up a suppression, and shows what was sent to a webhook', async () => {
    const suppressed = await ok(resend.suppressions.add({ email: 'no@example.org' }))
    expect(await ok(resend.suppressions.get('No@example.org'))).toMatchObject({
      object: 'suppression',
      id: suppressed.id,
      email: 'no@example.org',
      origin: 'manual',
    })
    expect(await ok(resend.suppressions.get(suppressed.id))).toMatchObject({ email: 'no@example.org' })
    expect((await resend.suppressions.get('yes@example.org')).error).toMatchObject({ statusCode: 404 })

    const { id: webhookId } = await ok(
      resend.webhooks.create({ endpoint: 'https://app.example.com/hook', events: ['contact.created'] }),
    )
    await ok(resend.contacts.create({ email: 'logged@example.org' }))
    const log = async () => (await ok(resend.webhooks.events.list({ webhookId }))).data
    await expect.poll(async () => (await log()).length, { timeout: 20_000 }).toBe(1)
    const [logged] = await log()
    expect(logged).toMatchObject({ type: 'contact.created' })
    const eventId = logged!.id
    expect(await ok(resend.webhooks.events.get({ webhookId, eventId }))).toMatchObject({
      object: 'webhook_event',
      payload: { type: 'contact.created', data: { email: 'logged@example.org' } },
    })
    expect((await ok(resend.webhooks.events.attempts.list({ webhookId, eventId }))).data).toEqual([])
    const elsewhere = await resend.webhooks.events.get({ webhookId: suppressed.id, eventId })
    expect(elsewhere.error).toMatchObject({ statusCode: 404 })

    const { totals } = await ok(resend.emails.metrics({ metrics: ['sent', 'open_rate'] }))
    expect(totals.sent).toBeGreaterThan(0)
    const byDay = await ok(resend.emails.metrics({ metrics: ['sent'], dimensions: ['period'], granularity: 'weekly' }))
    expect(byDay.data?.map(({ sent }) => sent ?? 0).reduce((a, b) => a + b, 0)).toBe(totals.sent)
    expect((await resend.emails.metrics({ metrics: ['received'] })).error?.message).toMatch(/`metrics` field/)
    expect((await resend.emails.metrics({ emailId: [eventId] })).error).toMatchObject({ statusCode: 422 })
  })
})
