import { createHmac } from 'node:crypto'
import client from '@sendgrid/client'
import { EventWebhook } from '@sendgrid/eventwebhook'
import sgMail from '@sendgrid/mail'
import Mailgun from 'mailgun.js'
import { ServerClient } from 'postmark'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ForeignEvent } from '../../core/ports/foreign-api.ts'
import { webhookEvents as ofMailgun } from '../../server/compat/mailgun/webhook-events.ts'
import { webhookEvents as ofPostmark } from '../../server/compat/postmark/webhook-events.ts'
import { webhookEvents as ofSendGrid } from '../../server/compat/sendgrid/webhook-events.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'

/* Webhooks in the form of other services, made by their own packages and checked as they say. */

/** The requests that came, once there are so many. */
async function requestsOf({ requests }: Receiver, count: number): Promise<readonly Received[]> {
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(count)
  return requests
}

for (const store of [QUICK]) {
  describe(`webhooks of other services on ${store.name}`, () => {
    let server: CompatServer

    beforeAll(async () => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      server = await compatServer(store, { egress: { allow: ['127.0.0.1/32'] } })
    })
    afterAll(() => {
      vi.restoreAllMocks()
      return server.close()
    })

    it('have the form and the signature of SendGrid, which its package verifies', async () => {
      const hook = await startReceiver()
      sgMail.setClient(client)
      sgMail.setApiKey(SECRET)
      client.setDefaultRequest('baseUrl', `${server.url}/compat/sendgrid`)
      const settings = '/v3/user/webhooks/event/settings'
      const [made] = await client.request({
        method: 'POST',
        url: settings,
        body: { url: hook.url, friendly_name: 'Mine', delivered: true, bounce: true, dropped: true },
      })
      expect(made.statusCode).toBe(201)
      expect(made.body).toMatchObject({ delivered: true, bounce: true, deferred: false, dropped: false, open: false })
      const { id } = made.body as { id: string }
      const [signed] = await client.request({
        method: 'PATCH',
        url: `${settings}/signed/${id}`,
        body: { enabled: true },
      })
      const { public_key } = signed.body as { public_key: string }
      const msg = {
        from: 'hello@example.com',
        subject: 'Hi',
        text: 'Hello',
        categories: ['a'],
        customArgs: { run: '7' },
      }
      const [{ headers }] = await sgMail.send({ ...msg, to: 'ada@example.org' })
      await sgMail.send({ ...msg, to: 'gone@example.org' })
      const requests = await requestsOf(hook, 2)
      const checker = new EventWebhook()
      const key = checker.convertPublicKeyToECDSA(public_key)
      const isRight = ({ headers, body: sent }: Received, body = sent) => {
        const [signature, time] = ['signature', 'timestamp'].map((name) =>
          String(headers[`x-twilio-email-event-webhook-${name}`]),
        )
        return checker.verifySignature(key, body, signature!, time!)
      }
      expect(requests.map((each) => isRight(each))).toEqual([true, true])
      expect(isRight(requests[0]!, '[]')).toBe(false)
      const events = requests.flatMap(({ body }) => JSON.parse(body))
      const common = { category: ['a'], run: '7', sg_event_id: expect.any(String), timestamp: expect.any(Number) }
      const sg_message_id = headers['x-message-id']
      expect(events).toContainEqual(
        expect.objectContaining({ ...common, event: 'delivered', email: 'ada@example.org', sg_message_id }),
      )
      expect(events).toContainEqual(
        expect.objectContaining({
          ...common,
          event: 'bounce',
          type: 'bounce',
          email: 'gone@example.org',
          reason: expect.stringContaining('No such user'),
        }),
      )
      // each webhook has a key of its own
      const [other] = await client.request({
        method: 'POST',
        url: settings,
        body: { url: `${hook.url}/x`, click: true },
      })
      const second = (other.body as { id: string }).id
      const [all] = await client.request({ method: 'GET', url: `${settings}/all` })
      const keys = (all.body as { webhooks: { public_key: string }[] }).webhooks.map((each) => each.public_key)
      expect(keys[0]).toBe(public_key)
      expect(new Set(keys).size).toBe(2)
      const change = { delivered: false, deferred: true, bounce: false, enabled: false }
      await client.request({ method: 'PATCH', url: `${settings}/${id}`, body: change })
      const [changed] = await client.request({ method: 'GET', url: settings })
      expect(changed.body).toMatchObject({ id, ...change, friendly_name: 'Mine' })
      const refusal = (body: object) =>
        client
          .request({ method: 'PATCH', url: `${settings}/${id}`, body })
          .catch(({ response }) => response.body.errors)
      expect(await refusal({ deferred: false })).toMatchObject([{ field: 'delivered' }])
      expect(await refusal({ oauth_client_id: 'x' })).toMatchObject([{ field: 'oauth_client_id' }])
      await client.request({ method: 'DELETE', url: `${settings}/${second}` })
      await client.request({ method: 'DELETE', url: `${settings}/${id}` })
      await expect(client.request({ method: 'GET', url: `${settings}/signed` })).rejects.toMatchObject({ code: 404 })
    })

    it('have the form of Postmark', async () => {
      const hook = await startReceiver()
      const requestHost = `${server.url.replace('http://', '')}/compat/postmark`
      const postmark = new ServerClient(SECRET, { requestHost, useHttps: false })
      const { ID } = await postmark.createWebhook({
        Url: hook.url,
        MessageStream: 'outbound',
        Triggers: {
          Open: { Enabled: true, PostFirstOpenOnly: true },
          Delivery: { Enabled: true },
          Bounce: { Enabled: true, IncludeContent: false },
        },
      })
      const mail = {
        From: 'hello@example.com',
        Subject: 'Hi',
        TextBody: 'x',
        Tag: 'welcome',
        Metadata: { color: 'blue' },
      }
      const { MessageID } = await postmark.sendEmail({ ...mail, To: 'ada@example.org' })
      await postmark.sendEmail({ ...mail, To: 'gone@example.org' }).catch(() => {})
      const events = (await requestsOf(hook, 1)).map(({ body }) => JSON.parse(body))
      expect(events).toMatchObject([
        {
          RecordType: 'Delivery',
          MessageID,
          Recipient: 'ada@example.org',
          Tag: 'welcome',
          Metadata: { color: 'blue' },
          MessageStream: 'outbound',
        },
      ])
      const changed = await postmark.editWebhook(ID, { Triggers: { Delivery: { Enabled: false } } })
      expect(changed.Triggers).toMatchObject({
        Open: { Enabled: true, PostFirstOpenOnly: true },
        Delivery: { Enabled: false },
        Bounce: { Enabled: true },
        Click: { Enabled: false },
      })
      expect((await postmark.getWebhooks()).Webhooks).toMatchObject([{ ID, Url: hook.url }])
      const HttpAuth = { Username: 'a', Password: 'b' }
      await expect(postmark.editWebhook(ID, { HttpAuth })).rejects.toMatchObject({ statusCode: 422 })
      await postmark.deleteWebhook(ID)
      await expect(postmark.getWebhook(ID)).rejects.toMatchObject({ statusCode: 404 })
    })

    it('have the form of Mailgun, with a signature in the body', async () => {
      const hook = await startReceiver()
      const mg = new Mailgun(FormData).client({ username: 'api', key: SECRET, url: `${server.url}/compat/mailgun` })
      const { url } = hook
      expect(await mg.webhooks.create('example.com', 'delivered', url, false)).toMatchObject({
        id: 'delivered',
        urls: [url],
      })
      const key = await mg.accountManagement.getWebhookSigningKey()
      await mg.messages.create('example.com', {
        from: 'Me <hello@example.com>',
        to: 'bob@example.org',
        subject: 'Hi',
        text: 'x',
        'o:tag': ['news'],
        'v:run': '7',
      })
      const [{ body } = { body: '{}' }] = await requestsOf(hook, 1)
      const { signature, 'event-data': data } = JSON.parse(body)
      const digest = createHmac('sha256', key.http_signing_key)
        .update(signature.timestamp + signature.token)
        .digest('hex')
      expect(signature.signature).toBe(digest)
      expect(signature.token).toHaveLength(50)
      expect(data).toMatchObject({
        event: 'delivered',
        recipient: 'bob@example.org',
        'recipient-domain': 'example.org',
        tags: ['news'],
        'user-variables': { run: '7' },
        message: { headers: { from: 'Me <hello@example.com>', subject: 'Hi', to: 'bob@example.org' } },
      })
      const urls = [`${hook.url}/a`, `${hook.url}/b`]
      expect(await mg.webhooks.update('example.com', 'delivered', urls)).toMatchObject({ urls })
      await mg.webhooks.create('example.com', 'permanent_fail', url, false)
      expect(await mg.webhooks.list('example.com', {})).toEqual({
        delivered: { urls },
        permanent_fail: { urls: [url] },
      })
      const wrong = [...urls, `${hook.url}/c`, `${hook.url}/d`]
      await expect(mg.webhooks.update('example.com', 'delivered', wrong)).rejects.toMatchObject({ status: 400 })
      await expect(mg.webhooks.create('example.com', 'accepted', url, false)).rejects.toMatchObject({ status: 400 })
      await mg.webhooks.destroy('example.com', 'delivered')
      await mg.webhooks.destroy('example.com', 'permanent_fail')
      expect(await mg.webhooks.list('example.com', {})).toEqual({})
    })
  })
}

describe('an event', () => {
  const AT = new Date('2026-05-01T12:00:00.500Z')
  const contact = {
    ...{ id: 'c', projectId: 'p' as never, email: 'ada@example.org', subscribed: false, data: {} },
    ...{ tracking: 'full' as const, createdAt: AT, updatedAt: AT },
  }
  const about = { subject: 'Hi', from: 'me@example.com', fromName: 'Me', messageId: '<m@example.com>', emailId: 'e' }
  const of = (name: string, data: ForeignEvent['data'] = {}): ForeignEvent => ({
    ...{ id: 'v', name, at: AT, emailId: name.startsWith('email.') ? 'e' : undefined, contact },
    data: name.startsWith('email.') ? { ...about, ...data } : data,
  })
  const bounce = (bounceType: string) =>
    of('email.bounce', { bounceType, diagnostic: '550 5.1.1 no', bounceStatus: '5.1.1' })

  it.each<[ForeignEvent, object | undefined, object | undefined, object | undefined]>([
    [of('email.sent'), { event: 'processed', 'smtp-id': '<m@example.com>' }, undefined, undefined],
    [
      bounce('Permanent'),
      { event: 'bounce', reason: '550 5.1.1 no', status: '5.1.1' },
      {
        RecordType: 'Bounce',
        Type: 'HardBounce',
        TypeCode: 1,
        Email: 'ada@example.org',
        Inactive: true,
        From: 'me@example.com',
      },
      { event: 'failed', severity: 'permanent', 'delivery-status': { message: '550 5.1.1 no' } },
    ],
    [
      bounce('Transient'),
      { event: 'deferred', response: '550 5.1.1 no' },
      { RecordType: 'Bounce', Type: 'Transient', Inactive: false },
      { event: 'failed', severity: 'temporary' },
    ],
    [
      of('email.open', { isFirstOpen: true, machine: 'apple' }),
      { event: 'open', sg_machine_open: true },
      { RecordType: 'Open', FirstOpen: true },
      { event: 'opened' },
    ],
    [
      of('email.click', { link: 'https://a.example/' }),
      { event: 'click', url: 'https://a.example/' },
      { RecordType: 'Click', OriginalLink: 'https://a.example/' },
      { event: 'clicked', url: 'https://a.example/', timestamp: 1_777_636_800.5 },
    ],
    [
      of('email.complaint'),
      { event: 'spamreport' },
      { RecordType: 'SpamComplaint', TypeCode: 100_001 },
      { event: 'complained' },
    ],
    [
      of('contact.unsubscribed', { reason: 'link' }),
      { event: 'unsubscribe', email: 'ada@example.org' },
      {
        RecordType: 'SubscriptionChange',
        SuppressSending: true,
        Origin: 'Recipient',
        SuppressionReason: 'ManualSuppression',
      },
      { event: 'unsubscribed', recipient: 'ada@example.org' },
    ],
    [of('contact.unsubscribed', { reason: 'bounce' }), undefined, { SuppressionReason: 'HardBounce' }, undefined],
    [
      of('contact.unsubscribed', { reason: 'link', topicId: 't' }),
      { event: 'group_unsubscribe' },
      undefined,
      undefined,
    ],
    [
      of('contact.subscribed', { reason: 'api' }),
      undefined,
      { SuppressSending: false, SuppressionReason: null },
      undefined,
    ],
    [of('contact.subscribed', { topicId: 't' }), { event: 'group_resubscribe' }, undefined, undefined],
    [of('order.paid'), undefined, undefined, undefined],
    [of('constructor'), undefined, undefined, undefined],
  ])('%# is written as each service does', (event, sendgrid, postmark, mailgun) => {
    const written = [ofSendGrid.write(event), ofPostmark.write(event), ofMailgun.write(event)]
    const expected = [sendgrid && [sendgrid], postmark, mailgun && { 'event-data': mailgun }]
    for (const [place, each] of expected.entries()) {
      if (each === undefined) expect(written[place]).toBeUndefined()
      else expect(written[place]).toMatchObject(each)
    }
  })
})
