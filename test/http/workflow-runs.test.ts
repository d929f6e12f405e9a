import { expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const WITHIN = 20_000

for (const store of [QUICK]) {
  it(`what was drawn is what runs on ${store.name}`, async () => {
    const test = await testApp(store, {}, { egress: { allow: ['127.0.0.0/8'] } })
    const receiver = await startReceiver()
    await test.engine.start()
    const { id, template } = await draw(test, receiver.url)
    const data = { name: 'Ada', plan: 'free' }
    await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', data } })
    await test.ask('POST', '/v1/track', {
      json: { email: 'ada@example.org', event: 'paid', data: { plan: { value: 'pro', persistent: false } } },
    })
    const execution = await until(
      'it has ended',
      async () => (await test.ask('GET', `/workflows/${id}/executions?status=EXITED`)).body.executions[0],
      WITHIN,
    )
    expect(execution).toMatchObject({ status: 'EXITED', exitReason: 'greeted' })
    await test.ask('POST', `/workflows/${await waits(test)}/executions`, { json: { contactId: execution.contactId } })
    const ways = () => test.ask('GET', `/contacts/${execution.contactId}/workflows`)
    const listed = await until('it waits', async () => {
      const { data } = (await ways()).body
      return data[0].status === 'WAITING' && data
    })
    expect(listed).toMatchObject([
      { workflowName: 'Waits', step: { type: 'DELAY', since: expect.any(String) } },
      { workflowName: 'Paid', status: 'EXITED', exitReason: 'greeted', step: { type: 'EXIT', since: null } },
    ])
    const { steps } = (await test.ask('GET', `/workflows/${id}`)).body
    const way = execution.steps.map(
      ({ stepId }: { stepId: string }) => steps.find((step: Step) => step.id === stepId).type,
    )
    expect(way).toEqual(['TRIGGER', 'CONDITION', 'UPDATE_CONTACT', 'SEND_EMAIL', 'WEBHOOK', 'DELAY', 'EXIT'])
    expect(receiver.requests[0]).toMatchObject({ method: 'PUT', body: '{"who":"Ada","plan":"pro"}' })
    expect((await test.ask('GET', '/emails')).body.data).toMatchObject([
      { templateId: template, sourceType: 'WORKFLOW' },
    ])
    const { data: after } = (await test.ask('GET', `/contacts/${execution.contactId}`)).body
    expect(after).toEqual({ name: 'Ada', plan: 'pro' })
    const stats = (await test.ask('GET', `/workflows/${id}/stats`)).body
    expect(stats.executions).toMatchObject({ total: 1, exited: 1, running: 0, waiting: 0 })
    for (const { type, completed } of stats.steps)
      expect({ type, completed }).toEqual({ type, completed: way.includes(type) ? 1 : 0 })
  })
}

interface Step {
  readonly id: string
  readonly type: string
}

/** A step of every type behind each other, and what is for others. */
async function draw(test: TestApp, url: string): Promise<{ id: string; template: string }> {
  const json = { name: 'T', subject: 'Hi {{ name }}', body: 'B', type: 'TRANSACTIONAL', from: 'me@example.com' }
  const template = (await test.ask('POST', '/templates', { json })).body.id
  const made = (await test.ask('POST', '/workflows', { json: { name: 'Paid', eventName: 'paid' } })).body
  const { id } = made
  const add = async (step: object) => {
    const { status, body } = await test.ask('POST', `/workflows/${id}/steps`, { json: step })
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.id as string
  }
  const free = { field: 'contact.data.plan', operator: 'equals', value: 'free' }
  const paid = { field: 'event.plan', operator: 'equals', value: 'pro' }
  const condition = await add({
    ...{ type: 'CONDITION', afterStepId: made.steps[0].id },
    config: { operator: 'AND', conditions: [free, paid, { field: 'event.paid', operator: 'triggered' }] },
  })
  const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'never', timeout: 60 } }
  await add({ ...wait, afterStepId: condition, branch: 'no' })
  let afterStepId = await add({
    ...{ type: 'UPDATE_CONTACT', afterStepId: condition, branch: 'yes' },
    config: { data: { plan: '{{ event.plan }}' } },
  })
  for (const step of [
    { type: 'SEND_EMAIL', templateId: template },
    { type: 'WEBHOOK', config: { url, method: 'PUT', body: { who: '{{ name }}', plan: '{{ data.plan }}' } } },
    { type: 'DELAY', config: { amount: 0.01, unit: 'seconds' } },
    { type: 'EXIT', config: { reason: 'greeted' } },
  ]) {
    afterStepId = await add({ ...step, afterStepId })
  }
  expect((await test.ask('PATCH', `/workflows/${id}`, { json: { enabled: true } })).status).toBe(200)
  return { id, template }
}

/** A workflow that is started by hand and waits an hour. */
async function waits(test: TestApp): Promise<string> {
  const { id, steps } = (await test.ask('POST', '/workflows', { json: { name: 'Waits', eventName: 'never' } })).body
  const delay = { type: 'DELAY', config: { amount: 1, unit: 'hours' }, afterStepId: steps[0].id }
  const { body } = await test.ask('POST', `/workflows/${id}/steps`, { json: delay })
  await test.ask('POST', `/workflows/${id}/steps`, { json: { type: 'EXIT', afterStepId: body.id } })
  await test.ask('PATCH', `/workflows/${id}`, { json: { enabled: true } })
  return id
}
