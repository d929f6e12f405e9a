import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const BODY =
  '<p>Hi</p>\n<a href={{ name }}>t</a><p {{ x }} title="{{ y }}">{{ z }}</p><a href={{ unsubscribeUrl }}>u</a>'
const SAID = [
  'prints {{ name }} into an attribute without quotes: its blanks are escaped there; put quotes around it (line 2 column 9)',
  'prints {{ x }} into a tag outside quotes: its blanks and signs are escaped there; print it into a quoted value (line 2 column 28)',
]
const places = (field = 'body') => SAID.map((message) => ({ field, message }))
const EMPTY = 'is empty once it is filled in'

describe('warnings about what a mail prints', () => {
  let test: TestApp
  const ask = (method: string, path: string, json: object) => test.ask(method, path, { json })

  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  it('come with a body that prints values where they could be more than values, wherever it is saved', async () => {
    const mail = { name: 'N', subject: 'S', body: BODY, from: 'hello@example.com' }
    const header = (answer: { headers: Headers }) => answer.headers.get('mailwright-warning')
    const shown = SAID.map((message) => `body: ${message}`).join(', ')
    const template = await ask('POST', '/templates', { ...mail, type: 'TRANSACTIONAL' })
    expect([template.status, header(template)]).toEqual([201, shown])
    const { id } = template.body
    expect(header(await ask('PATCH', `/templates/${id}`, { body: BODY }))).toBe(shown)
    expect(header(await ask('PATCH', `/templates/${id}`, { body: '<p title="{{ x }}">' }))).toBeNull()
    const campaign = await ask('POST', '/campaigns', { ...mail, audienceType: 'ALL' })
    expect(campaign.body.warnings).toEqual(places())
    const workflow = await ask('POST', '/workflows', { name: 'W', eventName: 'e' })
    const config = { subject: 'S', body: BODY, from: 'hello@example.com' }
    const step = await ask('POST', `/workflows/${workflow.body.id}/steps`, { type: 'SEND_EMAIL', config })
    expect([step.status, header(step)]).toEqual([201, shown.replaceAll('body:', 'config.body:')])
    const sent = await ask('POST', '/v1/send', { ...MAIL, body: BODY })
    expect(sent.body.warnings).toEqual(places())
    const batch = await ask('POST', '/v1/send/batch', { messages: [MAIL, { ...MAIL, body: BODY }] })
    expect(batch.body.warnings).toEqual(places('messages.1.body'))
    expect((await ask('POST', '/v1/send', MAIL)).body.warnings).toBeUndefined()
  })

  it('come with a subject that is empty once it is filled in', async () => {
    const subject = '{{ topic }}{% if urgent %} !{% endif %}'
    await ask('POST', '/contacts', { email: 'has@example.org', subscribed: true, data: { topic: 'News' } })
    const one = await ask('POST', '/v1/send', { ...MAIL, subject })
    expect(one.body.warnings).toEqual([{ field: 'subject', message: EMPTY }])
    const two = await ask('POST', '/v1/send', { ...MAIL, subject, to: ['has@example.org', 'none@example.org'] })
    expect(two.body.warnings).toEqual([{ field: 'subject', message: `${EMPTY} for 1 of 2 recipients` }])
    expect((await ask('POST', '/v1/send', { ...MAIL, subject, data: { topic: 'x' } })).body.warnings).toBeUndefined()
    const batch = await ask('POST', '/v1/send/batch', { messages: [{ ...MAIL, subject: '{{ nope }}' }] })
    expect(batch.body.warnings).toEqual([{ field: 'messages.0.subject', message: EMPTY }])
    const mail = { name: 'N', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'ALL' }
    const { id } = (await ask('POST', '/campaigns', { ...mail, subject: '{{ topic }}' })).body.data
    const tried = (email: string) => ask('POST', `/campaigns/${id}/test`, { email })
    expect((await tried('has@example.org')).body.warnings).toBeUndefined()
    expect((await tried('stranger@example.org')).body.warnings).toEqual([
      { field: 'subject', message: `${EMPTY} for this address` },
    ])
    const rendered = await ask('POST', '/templates/render', { subject, body: '<p>Hi</p>' })
    expect(rendered.headers.get('mailwright-warning')).toBe(`subject: ${EMPTY}`)
    const sent = async (key: string, scheduledFor?: string) => {
      const made = await ask('POST', '/campaigns', { ...mail, subject: `{{ ${key} }}` })
      const preview = await test.ask('POST', `/campaigns/${made.body.data.id}/preview`)
      expect(preview.body.warnings).toEqual(
        key === 'nope' ? [{ field: 'subject', message: `${EMPTY} for the first recipient` }] : undefined,
      )
      const answer = await ask('POST', `/campaigns/${made.body.data.id}/send`, scheduledFor ? { scheduledFor } : {})
      expect(answer.status).toBe(200)
      return answer.headers.get('mailwright-warning')
    }
    const first = `subject: ${EMPTY} for the first recipient`
    expect(await sent('nope')).toBe(first)
    expect(await sent('nope', new Date(Date.now() + 3_600_000).toISOString())).toBe(first)
    expect(await sent('topic')).toBeNull()
    expect(test.lines.filter(({ message }) => message.startsWith('a campaign has no subject'))).toHaveLength(2)
  })

  it('come with the name of an event that cannot happen, wherever one is waited for', async () => {
    const header = (answer: { headers: Headers }) => answer.headers.get('mailwright-warning')
    const OPENED = 'is no event of the service (did you mean email.open?); names that begin with email. are its own'
    const workflow = await ask('POST', '/workflows', { name: 'O', eventName: 'email.opened' })
    expect(header(workflow)).toContain(`eventName: ${OPENED}`)
    const step = { type: 'WAIT_FOR_EVENT', config: { eventName: 'email.opened' } }
    expect(header(await ask('POST', `/workflows/${workflow.body.id}/steps`, step))).toContain(OPENED)
    const hook = (event: string) => ask('POST', '/webhooks', { url: 'https://example.com/h', events: [event] })
    expect(header(await hook('email.opened'))).toContain(`events.0: ${OPENED}`)
    expect(header(await hook('Email.Sent'))).toContain('did you mean email.sent?')
    for (const event of ['email.*', 'email.open', 'order.*', 'order.paid', 'segment.vip.entry', '*'])
      expect(header(await hook(event))).toBeNull()
    // it happens by being tracked
    const tracked = await ask('POST', '/v1/track', { event: 'contact.create', email: 'o@example.com' })
    expect([tracked.status, JSON.stringify(tracked.body)]).toEqual([200, expect.not.stringContaining('no event')])
  })
})
