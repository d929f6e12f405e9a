import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { ID } from './endpoints.ts'

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
/** Those that `npm test` sends, too. */
const FEW: readonly unknown[] = [null, true, 1.5, '', 'a\0b', [null], { 'a\0': 1 }, '{{ x', 'http://[']
/** Values that are wrong almost everywhere; where one is right, the answer is a 2xx. */
const ALL: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, Number.MAX_VALUE, '', ' ', 'x', 'a\0b', 'a\ud800b', 'a\r\nb', 'x'.repeat(100_000), ID],
  ...[[], [null], {}, { length: 1, toString: 'x', constructor: { name: 'z' } }, deep(200), { 'a\0': 1 }],
  ...[{ '\udc00': 1 }, JSON.parse('{"__proto__":"x"}'), '{{ x', '{% if %}', 'http://['],
]
const VALUES = process.env.THOROUGH === '1' ? ALL : FEW

/** The steps that are right, with every field of their configs. */
const STEPS: readonly { readonly type: string; readonly config: Readonly<Record<string, unknown>> }[] = [
  {
    type: 'SEND_EMAIL',
    config: {
      ...{ subject: 'S', body: 'B', from: 'me@example.com', fromName: 'M', replyTo: 'r@example.com', templateId: null },
      recipient: { type: 'CUSTOM', customEmail: 'a@example.com' },
    },
  },
  { type: 'DELAY', config: { amount: 1, unit: 'days' } },
  { type: 'WAIT_FOR_EVENT', config: { eventName: 'a', timeout: 5 } },
  { type: 'CONDITION', config: { field: 'plan', operator: 'equals', value: 1 } },
  { type: 'CONDITION', config: { operator: 'AND', conditions: [{ field: 'plan', operator: 'exists' }] } },
  { type: 'CONDITION', config: { filter: { operator: 'OR', conditions: [{ field: 'event.a', operator: 'exists' }] } } },
  {
    type: 'WAIT_UNTIL',
    config: { field: 'on', offset: { amount: 1, unit: 'days', direction: 'before' }, yearly: true, at: '09:00' },
  },
  { type: 'WAIT_UNTIL', config: { at: '09:00', weekdays: ['MONDAY'], timezone: 'UTC', timezoneField: 'zone' } },
  { type: 'SWITCH', config: { field: 'plan', cases: [{ branch: 'gold', values: ['gold', 1] }] } },
  {
    type: 'SPLIT',
    config: {
      branches: [
        { branch: 'a', percent: 50 },
        { branch: 'b', percent: 50 },
      ],
    },
  },
  {
    type: 'WEBHOOK',
    config: {
      ...{ url: 'https://a.example', method: 'POST', headers: { a: 'b' }, body: {} },
      ...{ timeoutSeconds: 5, onFailure: 'fail' },
    },
  },
  { type: 'UPDATE_CONTACT', config: { data: { a: 1 }, subscribed: true } },
  { type: 'EXIT', config: { reason: 'x' } },
]
const BODY = {
  type: 'EXIT',
  name: 'E',
  config: {},
  templateId: null,
  position: { x: 0, y: 0 },
  afterStepId: null,
  branch: null,
}

/** The bodies that have one of the values in the place of one of their fields, or of one within those. */
function* spoiled(body: Readonly<Record<string, unknown>>): Generator<object> {
  for (const [key, right] of Object.entries(body)) {
    for (const value of VALUES) {
      yield { ...body, [key]: value }
      if (typeof right !== 'object' || right === null || Array.isArray(right)) continue
      for (const inner of Object.keys(right)) yield { ...body, [key]: { ...right, [inner]: value } }
    }
  }
}

// On PostgreSQL alone: it refuses what SQLite keeps, and so fails where a check is missing.
describe('workflows of wrong types and sizes', () => {
  let test: TestApp
  let id: string
  let trigger: string
  beforeAll(async () => {
    test = await testApp({ store: () => freshPostgres() }, { log: false })
    const { body } = await test.ask('POST', '/workflows', { json: { name: 'W', eventName: 'a' } })
    id = body.id
    trigger = body.steps[0].id
  })
  /** The answers to those that were taken and are in the workflow still. */
  const taken: { readonly id: string }[] = []
  /** Looks whether they are stored as they were answered, and deletes them. */
  const checkTaken = async () => {
    const { steps } = (await test.ask('GET', `/workflows/${id}`)).body
    for (const body of taken.splice(0)) {
      expect(steps.find((step: { id: string }) => step.id === body.id)).toEqual(body)
      expect((await test.ask('DELETE', `/workflows/${id}/steps/${body.id}`)).status).toBe(204)
    }
  }
  /** Sends it; whatever was taken is answered as it is stored, and goes again. */
  const tryStep = async (json: object) => {
    const { status, body } = await test.ask('POST', `/workflows/${id}/steps`, { json })
    expect([201, 403, 404, 422]).toContain(status)
    if (status === 422) expect(body.error.errors.length).toBeGreaterThan(0)
    if (status !== 201) return
    const again = await test.ask('PATCH', `/workflows/${id}/steps/${body.id}`, { json: { config: body.config } })
    expect(again).toMatchObject({ status: 200, body })
    taken.push(body)
    if (taken.length === 20) await checkTaken()
  }
  afterEach(checkTaken)

  it.each(STEPS)('$type takes or refuses each config, and keeps what it took (case %#)', async ({ type, config }) => {
    for (const wrong of spoiled(config)) await tryStep({ type, config: wrong })
  })

  it('steps are taken or refused', async () => {
    for (const json of spoiled(BODY)) await tryStep(json)
  })

  it('transitions and changes are taken or refused', async () => {
    const exit = (await test.ask('POST', `/workflows/${id}/steps`, { json: { type: 'EXIT' } })).body.id
    const link = { fromStepId: trigger, toStepId: exit, branch: null, condition: { branch: null }, priority: 0 }
    for (const json of spoiled(link)) {
      const { status, body } = await test.ask('POST', `/workflows/${id}/transitions`, { json })
      expect([201, 404, 422]).toContain(status)
      if (status === 201) await test.ask('DELETE', `/workflows/${id}/transitions/${body.id}`)
    }
    const workflow = {
      name: 'W',
      description: 'D',
      triggerType: 'EVENT',
      triggerConfig: { eventName: 'a' },
      enabled: false,
    }
    for (const json of spoiled({ ...workflow, eventName: 'a', allowReentry: false, goal: { eventName: 'b' } })) {
      const { status, body } = await test.ask('PATCH', `/workflows/${id}`, { json })
      expect([200, 422]).toContain(status)
      if (status === 200) expect((await test.ask('GET', `/workflows/${id}`)).body).toEqual(body)
      const made = await test.ask('POST', '/workflows', { json })
      expect([201, 422]).toContain(made.status)
    }
  })

  it('two ways drawn at once never make a circle, and one step is never led to twice at once', async () => {
    const add = async () => {
      const json = { type: 'DELAY', config: { amount: 1, unit: 'days' } }
      return (await test.ask('POST', `/workflows/${id}/steps`, { json })).body.id as string
    }
    for (let round = 0; round < 5; round++) {
      const steps = [await add(), await add(), await add()]
      const ways = steps.flatMap((from) => steps.map((to) => ({ fromStepId: from, toStepId: to })))
      const answers = await Promise.all(ways.map((json) => test.ask('POST', `/workflows/${id}/transitions`, { json })))
      // three steps with one way out of each and no circle
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(7)
    }
  })
})
