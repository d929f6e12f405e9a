import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
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

describe(`the records of Resend's own package on ${QUICK.name}`, () => {
  let server: CompatServer
  let resend: Resend
  let listener: SmtpListener
  let dns: DnsServer

  beforeAll(async () => {
    dns = await startDnsServer({})
    const plugin = smtpListener((made) => {
      listener = made
    })
    server = await compatServer(QUICK, {
      egress: { allow: ['127.0.0.1/32'] },
      inbound: [plugin],
      dns: nodeDns({ servers: [dns.address] }),
      publicUrl: 'https://mail.example.com',
      secret: 'a secret that tests know',
    })
    resend = new Resend(SECRET, { baseUrl: `${server.url}/compat/resend` })
  })
  afterAll(async () => {
    await server.close()
    await dns.close()
  })

  it('shows received mails with their files', async () => {
    await createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      from: 'Ada Lovelace <ada@friend.example>',
      to: 'Help <help@example.com>',
      subject: 'Question',
      text: 'Hello',
      headers: { 'X-Note': ['six', 'seven'] },
      attachments: [{ filename: 'note.txt', content: 'spoon', contentType: 'text/plain' }],
    })
    const list = async () => (await ok(resend.emails.receiving.list())).data
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(1)
    const [mail] = await list()
    expect(mail).toMatchObject({ from: 'Ada Lovelace <ada@friend.example>', to: ['help@example.com'] })
    expect((await ok(resend.emails.list())).data).toEqual([])
    const id = mail!.id
    const read = await ok(resend.emails.receiving.get(id))
    expect(read).toMatchObject({
      object: 'email',
      subject: 'Question',
      text: expect.stringContaining('Hello'),
      headers: { 'x-note': 'seven' },
      attachments: [{ id: `${id}-0`, filename: 'note.txt', content_type: 'text/plain', size: 5 }],
    })
    const { data } = await ok(resend.emails.receiving.attachments.list({ emailId: id }))
    const file = await ok(resend.emails.receiving.attachments.get({ emailId: id, id: data[0]!.id }))
    const { pathname } = new URL(file.download_url)
    expect(await (await fetch(server.url + pathname)).text()).toBe('spoon')
    expect((await resend.emails.receiving.attachments.get({ emailId: id, id: 'x' })).error).toMatchObject({
      statusCode: 404,
    })
  })

  /** The data of an answer that must be no error. */
  async function ok<T>(answer: PromiseLike<{ data: T | null; error: unknown }>): Promise<T> {
    const { data, error } = await answer
    expect(error).toBeNull()
    return data!
  }

  it('keeps contacts, their segments and their topics', async () => {
    const segment = await ok(resend.segments.create({ name: 'Readers' }))
    const topic = await ok(resend.topics.create({ name: 'News', defaultSubscription: 'opt_out' }))
    const { id } = await ok(
      resend.contacts.create({
        email: 'Steve@Example.org',
        firstName: 'Steve',
        properties: { plan: 'pro', seats: 3 },
        segments: [{ id: segment.id }],
        topics: [{ id: topic.id, subscription: 'opt_in' }],
      }),
    )
    expect(await ok(resend.contacts.get({ email: 'steve@example.org' }))).toMatchObject({
      object: 'contact',
      id,
      email: 'steve@example.org',
      first_name: 'Steve',
      last_name: null,
      unsubscribed: false,
      properties: { plan: { type: 'string', value: 'pro' }, seats: { type: 'number', value: 3 } },
    })
    expect((await ok(resend.contacts.list({ segmentId: segment.id }))).data).toMatchObject([{ id }])
    expect((await ok(resend.contacts.segments.list({ contactId: id }))).data).toMatchObject([{ id: segment.id }])
    expect((await ok(resend.contacts.topics.list({ email: 'steve@example.org' }))).data).toMatchObject([
      { id: topic.id, name: 'News', subscription: 'opt_in' },
    ])
    await ok(resend.contacts.update({ id, unsubscribed: true, firstName: null }))
    // who left stays away, unless it is said
    await ok(resend.contacts.create({ email: 'steve@example.org', lastName: 'W' }))
    expect(await ok(resend.contacts.get(id))).toMatchObject({ unsubscribed: true, first_name: null, last_name: 'W' })
    await ok(resend.contacts.topics.update({ id, topics: [{ id: topic.id, subscription: 'opt_out' }] }))
    await ok(resend.contacts.segments.remove({ email: 'steve@example.org', segmentId: segment.id }))
    expect((await ok(resend.contacts.list({ segmentId: segment.id }))).data).toEqual([])
    const refused = await resend.contacts.create({ email: 'new@example.org', segments: [{ id: 'none' }] })
    expect(refused.error).toMatchObject({ statusCode: 404 })
    expect((await resend.contacts.get({ email: 'new@example.org' })).error).toMatchObject({ statusCode: 404 })
    const left = await resend.emails.send({
      from: 'hello@example.com',
      to: 'steve@example.org',
      subject: 'x',
      text: 'y',
      topicId: topic.id,
    })
    expect(left.error?.message).toMatch(/topic/)
    expect(await ok(resend.contacts.remove(id))).toMatchObject({ deleted: true, contact: id })
    await ok(resend.topics.remove(topic.id))
    await ok(resend.segments.remove(segment.id))
    expect((await ok(resend.audiences.list())).data).toEqual([])
  })

  it('imports contacts from a file, with columns as Resend maps them', async () => {
    const topic = await ok(resend.topics.create({ name: 'Imported', defaultSubscription: 'opt_out' }))
    const file = new Blob(['Mail,Name,Seats\nimported@example.org,Ida,4\nnobody,X,1\n'], { type: 'text/csv' })
    const columnMap = {
      email: 'Mail',
      firstName: 'Name',
      properties: { seats: { column: 'Seats', type: 'number' } },
    } as const
    const { id } = await ok(
      resend.contacts.imports.create({ file, columnMap, topics: [{ id: topic.id, subscription: 'opt_in' }] }),
    )
    await expect
      .poll(async () => (await resend.contacts.imports.get(id)).data?.status, { timeout: 20_000 })
      .toBe('completed')
    expect(await ok(resend.contacts.imports.get(id))).toMatchObject({
      object: 'contact_import',
      counts: { total: 2, created: 1, updated: 0, failed: 1 },
    })
    expect(await ok(resend.contacts.get({ email: 'imported@example.org' }))).toMatchObject({
      first_name: 'Ida',
      properties: { seats: { type: 'number', value: 4 } },
    })
    expect((await ok(resend.contacts.topics.list({ email: 'imported@example.org' }))).data).toMatchObject([
      { id: topic.id, subscription: 'opt_in' },
    ])
    expect((await ok(resend.contacts.imports.list({ status: 'completed' }))).data).toMatchObject([{ id }])
    const skipping = await resend.contacts.imports.create({ file, onConflict: 'skip' })
    expect(skipping.error).toMatchObject({ statusCode: 422 })
    const grouped = await resend.contacts.imports.create({ file, segments: [{ id: topic.id }] })
    expect(grouped.error).toMatchObject({ statusCode: 422 })
    await ok(resend.topics.remove(topic.id))
  })

  it('sends by a template with variables, which are drafts until they are published', async () => {
    const { id } = await ok(
      resend.templates.create({
        name: 'Order',
        alias: 'order',
        from: 'hello@example.com',
        subject: 'Order {{{NUMBER}}}',
        html: '<p>{{{PRODUCT}}} for {{{WHO}}}</p>',
        variables: [
          { key: 'PRODUCT', type: 'string', fallbackValue: 'item' },
          { key: 'WHO', type: 'string' },
        ],
      }),
    )
    const shown = await ok(resend.templates.get('order'))
    expect(shown).toMatchObject({
      id,
      subject: 'Order {{{NUMBER}}}',
      html: '<p>{{{PRODUCT|item}}} for {{{WHO}}}</p>',
    })
    await ok(resend.templates.update('order', { html: '<p>{{{PRODUCT|item}}} to {{{WHO}}}</p>' }))
    expect(await ok(resend.templates.get(id))).toMatchObject({ has_unpublished_versions: true })
    const send = (variables: Record<string, string | number>) =>
      resend.emails.send({ to: 'ada@example.org', template: { id: 'order', variables } })
    expect((await send({ NUMBER: 7 })).error).toMatchObject({
      statusCode: 422,
      name: 'missing_required_field',
      message: 'Missing `template.variables.WHO` field.',
    })
    await ok(send({ NUMBER: 7, WHO: 'Ada' }))
    await ok(resend.templates.publish('order'))
    await ok(send({ NUMBER: 8, WHO: 'Ada', PRODUCT: 'tea' }))
    const texts = (await server.sink.waitFor(2)).map(async ({ raw }) => {
      const mail = await simpleParser(raw)
      return [mail.subject, mail.text?.trim()]
    })
    expect((await Promise.all(texts)).sort()).toEqual([
      ['Order 7', 'item for Ada'],
      ['Order 8', 'tea to Ada'],
    ])
    const copy = await ok(resend.templates.duplicate(id))
    expect((await ok(resend.templates.list({ limit: 1 }))).data).toMatchObject([{ id: copy.id }])
    await ok(resend.templates.remove(copy.id))
  })

  it("sends events to webhooks in Resend's form, which its package verifies", async () => {
    const got: { headers: IncomingHttpHeaders; payload: string }[] = []
    const hook = createServer(async (request, response) => {
      got.push({ headers: request.headers, payload: await text(request) })
      response.end()
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    try {
      const endpoint = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
      const { id, signing_secret: webhookSecret } = await ok(
        resend.webhooks.create({ endpoint, events: ['email.sent', 'contact.created'] }),
      )
      expect(await ok(resend.webhooks.get(id))).toMatchObject({ endpoint, events: ['email.sent', 'contact.created'] })
      const wrong = await resend.webhooks.create({ endpoint, events: ['email.failed'] })
      expect(wrong.error).toMatchObject({ statusCode: 422, message: expect.stringContaining('`events`') })
      const sent = await ok(
        resend.emails.send({ from: 'Acme <hello@example.com>', to: 'hooked@example.org', subject: 'Hi', text: 'y' }),
      )
      await expect.poll(() => got.length, { timeout: 20_000 }).toBe(2)
      const events = got.map(({ headers, payload }) =>
        resend.webhooks.verify({
          payload,
          headers: {
            id: String(headers['svix-id']),
            timestamp: String(headers['svix-timestamp']),
            signature: String(headers['svix-signature']),
          },
          webhookSecret,
        }),
      )
      expect(got[0]?.headers['webhook-signature']).toBe(got[0]?.headers['svix-signature'])
      expect(events).toContainEqual({
        type: 'email.sent',
        created_at: expect.any(String),
        data: expect.objectContaining({
          email_id: sent.id,
          from: 'Acme <hello@example.com>',
          to: ['hooked@example.org'],
          subject: 'Hi',
          message_id: expect.stringContaining('@'),
        }),
      })
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'contact.created',
          data: expect.objectContaining({ email: 'hooked@example.org', unsubscribed: true }),
        }),
      )
      await ok(resend.webhooks.update(id, { status: 'disabled' }))
      expect((await ok(resend.webhooks.list())).data).toMatchObject([{ id, status: 'disabled' }])
      const { signing_secret: renewed } = await ok(resend.webhooks.rotateSigningSecret(id))
      expect(renewed).not.toBe(webhookSecret)
      await ok(resend.webhooks.remove(id))
    } finally {
      hook.close()
    }
  })

  it('keeps broadcasts, domains, keys, suppressions and events', async () => {
    const segment = await ok(resend.segments.create({ name: 'All' }))
    const content = { from: 'Acme <hello@example.com>', subject: 'Hi', html: '<p>{{{FIRST_NAME|there}}}</p>' }
    const { id } = await ok(resend.broadcasts.create({ ...content, segmentId: segment.id }))
    await ok(resend.broadcasts.update(id, { name: 'May', subject: 'Hello' }))
    expect(await ok(resend.broadcasts.get(id))).toMatchObject({
      ...content,
      object: 'broadcast',
      name: 'May',
      subject: 'Hello',
      segment_id: segment.id,
      status: 'draft',
    })
    await ok(resend.broadcasts.send(id, { scheduledAt: 'in 1 day' }))
    expect((await ok(resend.broadcasts.list())).data).toMatchObject([{ id, status: 'queued' }])
    await ok(resend.broadcasts.cancel(id))
    expect(await ok(resend.broadcasts.remove(id))).toMatchObject({ deleted: true })
    expect(
      (await resend.broadcasts.create({ ...content, html: '', text: 'x', segmentId: segment.id })).error,
    ).toMatchObject({
      name: 'missing_required_field',
    })

    const domain = await ok(resend.domains.create({ name: 'mail.example.net' }))
    expect(domain.records).toContainEqual(expect.objectContaining({ record: 'DKIM', ttl: 'Auto', status: 'pending' }))
    expect((await ok(resend.domains.list())).data.map(({ name }) => name)).toContain('mail.example.net')
    expect(await ok(resend.domains.get(domain.id))).toMatchObject({ object: 'domain', status: 'pending' })
    expect((await resend.domains.update({ id: domain.id, tls: 'enforced' })).error).toMatchObject({ statusCode: 422 })
    expect(await ok(resend.domains.remove(domain.id))).toMatchObject({ deleted: true })

    const attachments = [{ filename: 'a.txt', content: Buffer.from('hello') }]
    const { id: emailId } = await ok(resend.emails.send({ ...content, to: 'ada@example.org', attachments }))
    const [file] = (await ok(resend.emails.attachments.list({ emailId }))).data
    const download = await fetch(`${server.url}${new URL(file!.download_url).pathname}`)
    expect(await download.text()).toBe('hello')

    const key = await ok(resend.apiKeys.create({ name: 'sender', permission: 'sending_access' }))
    const limited = new Resend(key.token, { baseUrl: `${server.url}/compat/resend` })
    expect((await limited.domains.list()).error).toMatchObject({ statusCode: 401, name: 'restricted_api_key' })
    expect((await limited.emails.send({ ...content, to: 'ada@example.org' })).error).toBeNull()
    expect((await ok(resend.apiKeys.list())).data).toContainEqual(
      expect.objectContaining({ id: key.id, name: 'sender' }),
    )
    expect(await ok(resend.apiKeys.update(key.id, { name: 'shop' }))).toEqual({ object: 'api_key', id: key.id })
    expect((await ok(resend.apiKeys.list())).data.find(({ id }) => id === key.id)?.name).toBe('shop')
    expect((await limited.domains.list()).error).toMatchObject({ name: 'restricted_api_key' })
    expect((await resend.apiKeys.update(key.id, { name: 'config' })).error).toMatchObject({ statusCode: 422 })
    await ok(resend.apiKeys.remove(key.id))

    const suppress = (email: string, reason: string) =>
      server.test.ask('POST', '/suppressions', { json: { email, reason } })
    await suppress('loud@example.org', 'COMPLAINT')
    const wrong = await resend.suppressions.batch.add({ emails: ['a@example.org', 'nobody'] })
    expect(wrong.error).toMatchObject({ statusCode: 422, message: expect.stringContaining('`emails.1`') })
    const loud = (await ok(resend.suppressions.list())).data
    expect(loud).toMatchObject([{ email: 'loud@example.org', origin: 'complaint' }])
    // a complaint stays one
    expect(await ok(resend.suppressions.add({ email: 'Loud@example.org' }))).toMatchObject({ id: loud[0]!.id })
    expect((await ok(resend.suppressions.list({ origin: 'complaint' }))).data).toEqual(loud)
    await ok(resend.suppressions.remove('loud@example.org'))
    const { data } = await ok(resend.suppressions.batch.add({ emails: ['a@example.org', 'b@example.org'] }))
    expect((await ok(resend.suppressions.list({ origin: 'manual' }))).data.map((each) => each.id).sort()).toEqual(
      data.map((each) => each.id).sort(),
    )
    await ok(resend.suppressions.remove('a@example.org'))
    // it is decoded once: another address would be let in otherwise
    await ok(resend.suppressions.batch.add({ emails: ['c%41@example.org'] }))
    await ok(resend.suppressions.remove('c%41@example.org'))
    expect((await ok(resend.suppressions.list())).data).toMatchObject([{ email: 'b@example.org', origin: 'manual' }])

    const event = await ok(resend.events.send({ event: 'order.paid', email: 'ada@example.org', payload: { sum: 3 } }))
    expect(event).toEqual({ object: 'event', event: 'order.paid' })
    expect((await resend.events.send({ event: 'order.paid' } as never)).error).toMatchObject({ statusCode: 422 })
  })
})
