import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const STEPS = { steps: [{ key: 'end', type: 'EXIT' }], transitions: [{ from: 'trigger', to: 'end' }] }
const FORM = { name: 'Sign up', doubleOptIn: false, texts: { title: 'News' }, consent: 'Acme may mail me.' }
const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'ALL' }

describe('what starts a workflow', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(QUICK, {}, { publicUrl: 'https://mail.example.net' })
    await test.engine.start()
  })

  const fresh = async () => {
    const { ask } = await ownProject(test)
    const made = async (path: string, json: object) => {
      const { status, body, text } = await ask('POST', path, { json })
      expect(status, text).toBeLessThan(300)
      return body.data?.id ? body.data : body
    }
    /** A workflow that is on: how many contacts it was started for. */
    const started = async (trigger: object) => {
      const { id } = await made('/workflows', { name: 'W', ...STEPS, ...trigger })
      expect((await ask('PATCH', `/workflows/${id}`, { json: { enabled: true } })).status).toBe(200)
      return async () => {
        await test.engine.idle()
        return (await ask('GET', `/workflows/${id}/executions`)).body.total
      }
    }
    return { ask, made, started }
  }

  it('is a topic that people choose or leave, or the subscription as a whole', async () => {
    const { ask, made, started } = await fresh()
    const news = await made('/topics', { name: 'News' })
    const offers = await made('/topics', { name: 'Offers' })
    const counts = [
      await started({ triggerConfig: { eventName: 'contact.subscribed', topicId: 'news' } }),
      await started({ triggerConfig: { eventName: 'contact.subscribed', topicId: offers.id } }),
      await started({ triggerConfig: { eventName: 'contact.subscribed', wholeSubscription: true } }),
      await started({ triggerConfig: { eventName: 'contact.unsubscribed', topicId: news.id } }),
      await started({ eventName: 'contact.subscribed' }),
    ]
    const now = async () => {
      const found: number[] = []
      for (const count of counts) found.push(await count())
      return found
    }
    const { id } = await made('/contacts', { email: 'ada@example.org' })
    const choose = (subscribed: boolean) =>
      ask('PUT', `/contacts/${id}/topics`, { json: { topics: [{ topic: 'news', subscribed }] } })
    expect((await choose(true)).status).toBe(200)
    expect(await now()).toEqual([1, 0, 0, 0, 1])
    await choose(false)
    await ask('PATCH', `/contacts/${id}`, { json: { subscribed: false } })
    await ask('PATCH', `/contacts/${id}`, { json: { subscribed: true } })
    expect(await now()).toEqual([1, 0, 1, 1, 1])
  })

  it('is a form, which is not deleted meanwhile, nor are a topic and a campaign', async () => {
    const { ask, made } = await fresh()
    const form = await made('/forms', FORM)
    const topic = await made('/topics', { name: 'News' })
    const campaign = await made('/campaigns', LETTER)
    const uses = [
      [{ eventName: 'form.submitted', formId: form.id }, `/forms/${form.id}`],
      [{ eventName: 'contact.unsubscribed', topicId: topic.id }, `/topics/${topic.id}`],
      [{ eventName: 'email.click', campaignId: campaign.id }, `/campaigns/${campaign.id}`],
    ] as const
    for (const [triggerConfig, path] of uses) {
      const workflow = await made('/workflows', { name: `By ${path}`, triggerConfig })
      expect(workflow).toMatchObject({ triggerType: 'EVENT', triggerConfig })
      const copy = await made(`/workflows/${workflow.id}/duplicate`, {})
      expect(copy).toMatchObject({ triggerConfig, steps: [{ config: triggerConfig }] })
      const { status, body } = await ask('DELETE', path)
      expect({ status, message: body.error.message }).toMatchObject({
        status: 409,
        message: expect.stringContaining(`the workflow "By ${path}"`),
      })
      // another event is narrowed by nothing
      for (const { id } of [workflow, copy]) {
        const changed = await ask('PATCH', `/workflows/${id}`, { json: { eventName: 'paid' } })
        expect(changed.body.triggerConfig).toEqual({ eventName: 'paid' })
      }
      expect((await ask('DELETE', path)).status).toBe(204)
    }
  })

  it('counts the mails of one campaign alone', async () => {
    const { made, started, ask } = await fresh()
    await made('/contacts', { email: 'ada@example.org' })
    const [first, second] = [await made('/campaigns', LETTER), await made('/campaigns', LETTER)]
    const count = await started({ triggerConfig: { eventName: 'email.sent', campaignId: second.id } })
    await ask('POST', `/campaigns/${first.id}/send`, { json: {} })
    expect(await count()).toBe(0)
    await ask('POST', `/campaigns/${second.id}/send`, { json: {} })
    expect(await count()).toBe(1)
  })

  it('is refused with its place when it is nothing of the project, or does not go with the event', async () => {
    const { ask, made } = await fresh()
    const topic = await made('/topics', { name: 'News' })
    const form = await made('/forms', FORM)
    const of = (eventName: string, more: object) => ({ triggerConfig: { eventName, ...more } })
    const wrong: readonly (readonly [object, string])[] = [
      [of('form.submitted', { formId: UNKNOWN_ID }), 'triggerConfig.formId'],
      [of('form.submitted', { formId: 'sign-up' }), 'triggerConfig.formId'],
      [of('contact.subscribed', { topicId: 'gone' }), 'triggerConfig.topicId'],
      [of('email.open', { campaignId: UNKNOWN_ID }), 'triggerConfig.campaignId'],
      [of('email.open', { formId: form.id }), 'triggerConfig.formId'],
      [of('contact.unsubscribed', { formId: form.id }), 'triggerConfig.formId'],
      [of('paid', { topicId: topic.id }), 'triggerConfig.topicId'],
      [of('contact.created', { wholeSubscription: true }), 'triggerConfig.wholeSubscription'],
      [of('contact.subscribed', { topicId: topic.id, formId: form.id }), 'triggerConfig.formId'],
      [of('contact.subscribed', { topicId: topic.id, wholeSubscription: true }), 'triggerConfig.wholeSubscription'],
      [{ triggerType: 'CRON', eventName: 'paid' }, 'triggerType'],
      [{ triggerType: 'DATE', triggerConfig: { yearly: true } }, 'triggerConfig.field'],
    ]
    for (const [trigger, field] of wrong) {
      const answer = await ask('POST', '/workflows', { json: { name: 'Wrong', ...trigger } })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { [field]: expect.any(String) })
    }
    expect((await ask('GET', '/workflows')).body.total).toBe(0)
  })

  it('changes to a date and back, each with its own config', async () => {
    const { ask, made } = await fresh()
    const { id } = await made('/workflows', { name: 'W', eventName: 'paid' })
    const patch = async (json: object) => (await ask('PATCH', `/workflows/${id}`, { json })).body
    const offset = { amount: 7, unit: 'days', direction: 'before' }
    const json = { triggerType: 'DATE', triggerConfig: { field: 'data.trialEnds', offset } }
    const { headers, body: dated } = await ask('PATCH', `/workflows/${id}`, { json })
    const config = { field: 'data.trialEnds', offset, at: '09:00' }
    expect(dated).toMatchObject({ triggerType: 'DATE', triggerConfig: config, allowReentry: false })
    expect(headers.get('mailwright-warning')).toContain('triggerConfig.field')
    expect(await patch({ name: 'X' })).toMatchObject({ triggerConfig: config })
    expect(await patch({ triggerConfig: { field: 'data.born', yearly: true, at: '08:15' } })).toMatchObject({
      ...{ triggerConfig: { field: 'data.born', yearly: true, at: '08:15' }, allowReentry: true },
    })
    expect(await patch({ allowReentry: false })).toMatchObject({ triggerType: 'DATE', allowReentry: false })
    expect((await ask('GET', '/workflows')).body.workflows).toMatchObject([{ triggerType: 'DATE' }])
    expect(await patch({ triggerType: 'EVENT', eventName: 'paid' })).toMatchObject({
      ...{ triggerType: 'EVENT', triggerConfig: { eventName: 'paid' } },
    })
  })

  it('warns of a segment whose entries make no events', async () => {
    const { ask, made } = await fresh()
    const condition = { field: 'data.plan', operator: 'equals', value: 'pro' }
    const filters = { operator: 'AND', conditions: [condition] }
    await made('/segments', { name: 'Quiet', filters })
    await made('/segments', { name: 'Loud', filters, trackMembership: true })
    const warned = async (slug: string) => {
      const json = { name: 'W', eventName: `segment.${slug}.entry` }
      return (await ask('POST', '/workflows', { json })).headers.get('mailwright-warning')
    }
    expect(await warned('quiet')).toContain('does not track its members')
    expect(await warned('gone')).toContain('does not exist')
    expect(await warned('loud')).toBeNull()
  })
})
