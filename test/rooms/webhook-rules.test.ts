import { describe, expect, it } from 'vitest'
import { deliveryTo } from '../../core/events/endpoint-delivery.ts'
import { matches } from '../../core/events/event-pattern.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { WebhookDelivery } from '../../core/ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../../core/ports/store/webhook-endpoints.ts'
import type { WebhookAnswer } from '../../core/ports/webhook-sender.ts'
import { idSource } from '../../core/values/id.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { isWebhookSecret, newWebhookSecret } from '../../core/values/webhook-secret.ts'
import { afterTry } from '../../core/webhooks/after-try.ts'
import { asksFor } from '../../core/webhooks/asks-for.ts'
import { deliveriesFor } from '../../core/webhooks/endpoint-fan-out.ts'
import { afterDelivery } from '../../core/webhooks/endpoint-health.ts'
import { countingSecrets, signedHeaders, steadyHeaders } from '../../core/webhooks/signed-headers.ts'

const NOW = new Date('2026-05-01T12:00:00.000Z')
const DAY_MS = 24 * 3600 * 1000
const newId = idSource(() => NOW.getTime())
const projectId = asProjectId(newId())!
const ENDPOINT: WebhookEndpoint = {
  ...{
    id: newId(),
    projectId,
    url: 'https://a.example/',
    events: ['*'],
    enabled: true,
    createdAt: NOW,
    updatedAt: NOW,
  },
}
const later = (ms: number) => new Date(NOW.getTime() + ms)
const delivery = (change: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...deliveryTo(ENDPOINT, { name: 'seen', body: '{}' }, newId(), NOW),
  attempts: 1,
  ...change,
})
const answered = (status: number, headers: Record<string, string> = {}): WebhookAnswer => {
  return { outcome: 'answered', status, headers, body: 'words' }
}
const pointing = (status: number, leadsTo: string): WebhookAnswer => {
  return { outcome: 'answered', status, headers: {}, body: '', leadsTo }
}
const tried = (answer: WebhookAnswer, change: Partial<WebhookDelivery> = {}, random = 0.5) =>
  afterTry(delivery(change), answer, { delays: [5, 30], random }, NOW)
/** After how many milliseconds it is tried again. */
const pause = (answer: WebhookAnswer, change: Partial<WebhookDelivery> = {}, random = 0.5) => {
  const { status, dueAt } = tried(answer, change, random)
  return status === 'PENDING' ? dueAt.getTime() - NOW.getTime() : status
}

describe('a try of a webhook', () => {
  it.each([200, 201, 202, 204, 299])('succeeds by %i', (status) => {
    const before = { error: 'old', responseStatus: 500, responseBody: 'old' }
    expect(tried(answered(status), before)).toEqual({
      ...delivery({ id: expect.any(String) }),
      ...{ status: 'SUCCEEDED', responseStatus: status, responseBody: 'words', completedAt: NOW },
    })
  })

  it.each([300, 301, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 426, 451])('fails for good by %i', (status) => {
    expect(tried(answered(status))).toMatchObject({
      ...{ status: 'FAILED', error: `The receiver answered ${status}.`, responseStatus: status, completedAt: NOW },
    })
  })

  it.each([408, 429, 500, 502, 503, 504, 599])('is repeated after %i', (status) => {
    expect(pause(answered(status))).toBe(5_000)
  })

  it('is repeated after a redirect that was not followed, and names the address without what may be secret', () => {
    expect(tried(pointing(302, 'https://u:p@a.example/login?token=t'))).toMatchObject({
      status: 'PENDING',
      responseStatus: 302,
      error: expect.stringMatching(/^The receiver answered 302 and points to https:\/\/a\.example\/login\?…, /),
    })
    const long = tried(pointing(301, `file:///${'a'.repeat(5000)}`))
    expect(long.error).toContain('file:///aaa')
    expect(long.error?.length).toBeLessThan(600)
  })

  it('is not repeated for a test', () => {
    expect(pause(answered(500), { eventName: 'webhook.test' })).toBe('FAILED')
  })

  it('is repeated when there was no response, of which nothing is left then', () => {
    const again = tried({ outcome: 'failed', reason: 'reset' }, { responseStatus: 500, responseBody: 'x' })
    expect(again).toMatchObject({ status: 'PENDING', error: 'reset', dueAt: later(5_000) })
    expect(again).not.toHaveProperty('responseStatus')
    expect(again).not.toHaveProperty('responseBody')
    expect(again).not.toHaveProperty('completedAt')
  })

  it('fails for good when it may not be made', () => {
    const failed = tried({ outcome: 'forbidden', reason: 'a private network' })
    expect(failed).toMatchObject({ status: 'FAILED', error: 'The request is not allowed: a private network' })
  })

  it('waits longer each time, a fifth more or less, and fails after the last', () => {
    expect(pause(answered(500), {}, 0)).toBe(4_000)
    expect(pause(answered(500), {}, 0.999)).toBe(5_998)
    expect(pause(answered(500), { attempts: 2 })).toBe(30_000)
    expect(pause(answered(500), { attempts: 3 })).toBe('FAILED')
    expect(pause({ outcome: 'failed', reason: 'x' }, { attempts: 3 })).toBe('FAILED')
  })

  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['1', 5_000],
    ['0', 5_000],
    ['99999999999999999999', DAY_MS],
    ['-5', 5_000],
    ['soon', 5_000],
    ['', 5_000],
    ['Fri, 01 May 2026 12:10:00 GMT', 600_000],
    ['Fri, 01 May 2020 12:10:00 GMT', 5_000],
    ['Fri, 01 May 2099 12:10:00 GMT', DAY_MS],
  ])('honours Retry-After: %s', (words, expected) => {
    expect(pause(answered(503, { 'retry-after': words }))).toBe(expected)
    expect(pause(answered(503, { 'retry-after': words }), { attempts: 3 })).toBe('FAILED')
  })
})

describe('the health of an endpoint', () => {
  const failed = { status: 'FAILED', responseStatus: 500 } as const
  const succeeded = { status: 'SUCCEEDED', responseStatus: 200 } as const

  it('stays as it is while all goes well', () => {
    expect(afterDelivery(ENDPOINT, succeeded, NOW)).toBe(ENDPOINT)
  })

  it('remembers the first failure, until a success', () => {
    const failing = afterDelivery(ENDPOINT, failed, NOW)
    expect(failing).toEqual({ ...ENDPOINT, failingSince: NOW })
    expect(afterDelivery(failing, failed, later(DAY_MS))).toBe(failing)
    expect(afterDelivery(failing, succeeded, later(DAY_MS))).toEqual({ ...ENDPOINT, updatedAt: later(DAY_MS) })
  })

  it('is paused after days of nothing but failures, once', () => {
    const failing = { ...ENDPOINT, failingSince: NOW }
    const late = later(5 * DAY_MS)
    const paused = afterDelivery(failing, failed, late)
    expect(paused).toMatchObject({ enabled: false, failingSince: NOW, pausedReason: expect.stringContaining('since') })
    expect(afterDelivery(paused, failed, later(9 * DAY_MS))).toBe(paused)
    expect(afterDelivery(failing, failed, later(5 * DAY_MS - 1))).toBe(failing)
  })

  it('is paused by a 410 at once', () => {
    const paused = afterDelivery(ENDPOINT, { status: 'FAILED', responseStatus: 410 }, NOW)
    expect(paused).toMatchObject({ enabled: false, pausedReason: 'The receiver answered 410 Gone.' })
  })
})

describe('what an endpoint asks for', () => {
  it.each([
    ['*', 'anything', true],
    ['email.*', 'email.open', true],
    ['email.*', 'email.', true],
    ['email.*', 'email', false],
    ['email.*', 'emails.open', false],
    ['segment.vip.*', 'segment.vip.entry', true],
    ['seen', 'seen', true],
    ['seen', 'seen2', false],
    ['Seen', 'seen', false],
    ['a.*', 'a.*', true],
  ])('%s: %s is %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected)
  })

  it('becomes a delivery for each enabled endpoint, once', () => {
    const contact: Contact = {
      ...{ id: newId(), projectId, email: 'ada@example.org', subscribed: true, data: { plan: 'pro' } },
      ...{ tracking: 'full', createdAt: NOW, updatedAt: NOW },
    }
    const event = {
      id: newId(),
      projectId,
      name: 'email.open',
      contactId: contact.id,
      data: { opens: 1 },
      createdAt: NOW,
    }
    const endpoints = [
      { ...ENDPOINT, events: ['*', 'email.*', 'email.open'] },
      { ...ENDPOINT, id: newId(), enabled: false },
      { ...ENDPOINT, id: newId(), events: ['email.click'] },
    ]
    const made = deliveriesFor(endpoints, { ...event, emailId: 'e' }, { contact }, newId, later(1))
    expect(made).toMatchObject([
      { endpointId: ENDPOINT.id, eventId: event.id, eventName: 'email.open', dueAt: later(1), status: 'PENDING' },
    ])
    expect(JSON.parse(made[0]?.body ?? '')).toEqual({
      type: 'email.open',
      timestamp: '2026-05-01T12:00:00.000Z',
      data: {
        ...{ eventId: event.id, emailId: 'e', event: { opens: 1 } },
        contact: { id: contact.id, email: 'ada@example.org', subscribed: true, data: { plan: 'pro' } },
      },
    })
  })
})

it.each([
  ['email.bounce.permanent', 'email.bounce', { bounceType: 'Permanent' }, true],
  ['email.bounce.permanent', 'email.bounce', { bounceType: 'Transient' }, false],
  ['email.bounce.transient', 'email.bounce', { bounceType: 'Transient' }, true],
  ['email.bounce.*', 'email.bounce', { bounceType: 'Transient' }, true],
  ['email.open.first', 'email.open', { isFirstOpen: true }, true],
  ['email.open.first', 'email.open', { isFirstOpen: false }, false],
  ['email.click.first', 'email.click', { isFirstClick: true }, true],
  ['email.bounce', 'email.bounce', {}, true],
  ['constructor.name', 'constructor', {}, false],
])('%s asks for %s with %j: %s', (pattern, name, data, expected) => {
  expect(asksFor([pattern], { name, data })).toBe(expected)
})

describe('the secrets of webhooks', () => {
  it('are 32 random bytes', () => {
    expect(newWebhookSecret()).not.toBe(newWebhookSecret())
    expect(isWebhookSecret(newWebhookSecret())).toBe(true)
  })

  it.each([
    ['whsec_', false],
    ['whsec_c2hvcnQ=', false],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
    [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(64).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
    [Buffer.alloc(24).toString('base64'), false],
    [`whsec_${'-'.repeat(32)}`, false],
    [`whsec_${'A'.repeat(33)}`, false],
  ])('%s: %s', (text, expected) => {
    expect(isWebhookSecret(text)).toBe(expected)
  })

  it('count for as long as they are to', () => {
    const secrets = { projectId, secret: 'new', earlier: 'old', earlierUntil: later(1) }
    expect(countingSecrets(secrets, NOW)).toEqual(['new', 'old'])
    expect(countingSecrets(secrets, later(1))).toEqual(['new'])
    expect(countingSecrets({ projectId, secret: 'new' }, NOW)).toEqual(['new'])
  })

  it("sign in header fields that a customer's own cannot take the place of", () => {
    const headers = { 'Webhook-Signature': 'v1,forged', 'WEBHOOK-ID': 'forged', 'User-Agent': 'Mine', 'X-A': 'b' }
    const { id } = delivery()
    expect(steadyHeaders({ id, headers })).toEqual({ 'user-agent': 'Mine', 'x-a': 'b', 'webhook-id': id })
    const signed = signedHeaders({ id, headers, body: '{}' }, [newWebhookSecret(), newWebhookSecret()], NOW)
    expect(signed['webhook-timestamp']).toBe('1777636800')
    expect(signed['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  })
})
