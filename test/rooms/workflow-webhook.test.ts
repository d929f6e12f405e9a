import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Execution } from '../../core/ports/store/executions.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'
import { drawn, engineOnStore } from '../support/workflow.ts'

const WITHIN = 20_000
const SETTINGS = { egress: { allow: ['127.0.0.0/8'] }, webhooks: { retryDelays: [0] } }

const DATA = { sum: 12, sign: '5 €', lines: 'a\r\nX-Other: b', bell: 'a\u0007' }

interface Received {
  readonly id: string | undefined
  readonly body: unknown
  readonly sign?: string
}

/** A customer's server that answers these statuses, one after the other, the last of them for ever. */
async function receiver(...statuses: readonly number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    response.statusCode = statuses[Math.min(received.length, statuses.length - 1)] ?? 200
    const { 'webhook-id': id, 'x-sign': sign } = request.headers
    received.push({ id: String(id), body: JSON.parse(text), ...(sign === undefined ? {} : { sign: String(sign) }) })
    response.end('read')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, received }
}

describe.each([QUICK])('the WEBHOOK step on $name', ({ store }) => {
  /** Runs a WEBHOOK with this config and an EXIT for one contact until the execution has the status, and a step the error. */
  async function run(config: JsonObject, status: Execution['status'], error?: RegExp) {
    const { engine, store: opened, project } = await engineOnStore(store(), SETTINGS)
    const graph = drawn(project, [{ type: 'WEBHOOK', config }, { type: 'EXIT' }], { eventName: 'bought' })
    await opened.workflows.insert(graph)
    await engine.start()
    await engine.events.track(project, { email: 'ada@example.org', event: 'bought', data: DATA })
    return until(
      `it is ${status}`,
      async () => {
        const { items: executions } = await engine.workflows.executions.list(project, graph.workflow.id, {})
        return executions.find(
          ({ execution, steps }) =>
            execution.status === status && (!error || steps.some((step) => error.test(step.error ?? ''))),
        )
      },
      WITHIN,
    )
  }

  it('goes on when the request has succeeded, after another try', async () => {
    const { url, received } = await receiver(500, 204)
    const { steps } = await run({ url }, 'EXITED')
    expect(received.map(({ body }) => body)).toEqual(
      Array(2).fill(expect.objectContaining({ event: DATA, contact: expect.anything() })),
    )
    const output = { deliveryId: received[0]?.id, status: 204, attempts: 2 }
    expect(received[1]?.id).toBe(received[0]?.id)
    expect(steps.map((step) => step.status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
    expect(steps[1]?.output).toEqual(output)
  })

  it('fails with the request', async () => {
    const { url, received } = await receiver(410)
    const { execution, steps } = await run({ url }, 'FAILED')
    expect(received).toHaveLength(1)
    expect(execution.error).toContain('WEBHOOK 0: ')
    expect(steps.map((step) => step.status)).toEqual(['COMPLETED', 'FAILED'])
    expect(steps[1]).toMatchObject({ output: { status: 410 }, error: expect.any(String) })
  })

  it('sends what is beyond ASCII in a header field as UTF-8', async () => {
    const { url, received } = await receiver(200)
    await run({ url, headers: { 'X-Sign': 'für {{ event.sign }} Łukasz 日本' } }, 'EXITED')
    await run({ url, headers: { 'X-Sign': 'für {{ event.sign | url_encode }}' } }, 'EXITED')
    const signs = received.map(({ sign }) => Buffer.from(String(sign), 'latin1').toString())
    expect(signs).toEqual(['für 5 € Łukasz 日本', 'für 5+%E2%82%AC'])
  })

  it.each([
    ['a line break', '{{ event.lines }}', 'U\\+000D'],
    ['a bell', '{{ event.bell }}', 'U\\+0007'],
  ])('fails at once when %s is filled into a header field, and sends nothing', async (_, value, sign) => {
    const { url, received } = await receiver(200)
    await run({ url, headers: { 'X-Sign': value } }, 'FAILED', new RegExp(`headers\\.X-Sign: .*${sign}`))
    expect(received).toEqual([])
  })

  it('goes on after a failure when that is wanted', async () => {
    const { url } = await receiver(400)
    const { steps } = await run({ url, onFailure: 'continue' }, 'EXITED')
    expect(steps.map((step) => step.status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED'])
  })
})
