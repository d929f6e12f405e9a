import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { AudienceClient } from './audience-client.ts'
import type { Figure } from './figure.ts'
import type { ServerProcess } from './server-process.ts'

const IN_FLIGHT = 50
const EVENTS = 15_000
const EVENT = 'order.paid'

/**
 * `POST /v1/track` with one enabled workflow of three steps, each event of a new contact: how fast events are accepted,
 * and how fast they are worked off, from the first request until every execution is EXITED. Aim: 1,000/s of both.
 */
export async function measureTracked(server: ServerProcess, secretKey: string): Promise<readonly Figure[]> {
  const client = new AudienceClient(server, secretKey)
  const id = await makeWorkflow(client)
  const cpu = cpuSeconds(server.pid)
  const start = performance.now()
  const result = await autocannon({
    url: `${server.url}/v1/track`,
    method: 'POST',
    connections: IN_FLIGHT,
    amount: EVENTS,
    idReplacement: true,
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'user-[<id>]@example.org', event: EVENT, data: { plan: 'pro', amount: 49 } }),
  })
  const accepted = performance.now() - start
  const { non2xx, errors, latency } = result
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} requests were refused, ${errors} failed`)
  const before = await hasExited(client, id)
  await untilExited(client, id, EVENTS)
  const worked = performance.now() - start
  const used = cpuSeconds(server.pid) - cpu
  const note = `${EVENTS.toLocaleString('en')} of new contacts, ${IN_FLIGHT} in flight over HTTP`
  return [
    { what: 'events through /v1/track: accepted', value: (EVENTS / accepted) * 1000, unit: '/s', note },
    {
      what: 'events through /v1/track: worked off',
      value: (EVENTS / worked) * 1000,
      unit: '/s',
      note: 'CONDITION, UPDATE_CONTACT, EXIT',
    },
    {
      what: 'events worked off when the last was accepted',
      value: (before / EVENTS) * 100,
      unit: '%',
    },
    { what: 'CPU of the server for each event and its execution', value: (used / EVENTS) * 1e6, unit: 'µs' },
    { what: 'latency of /v1/track meanwhile, median', value: latency.p50, unit: 'ms' },
    { what: 'latency of /v1/track meanwhile, 99th percentile', value: latency.p99, unit: 'ms' },
  ]
}

/** Makes the workflow through the API and enables it. Answers its id. */
async function makeWorkflow(client: AudienceClient): Promise<string> {
  interface Made {
    readonly id: string
    readonly steps: readonly { readonly id: string }[]
  }
  const { id, steps } = await client.json<Made>('POST', '/workflows', { name: 'Paid', eventName: EVENT })
  const add = async (afterStepId: string | undefined, step: object) =>
    (await client.json<{ id: string }>('POST', `/workflows/${id}/steps`, { afterStepId, ...step })).id
  const condition = await add(steps[0]?.id, {
    type: 'CONDITION',
    config: {
      operator: 'AND',
      conditions: [
        { field: 'event.plan', operator: 'equals', value: 'pro' },
        { field: 'contact.subscribed', operator: 'equals', value: true },
      ],
    },
  })
  const data = { paid: '{{ event.amount }}', note: 'has paid {{ event.amount }}' }
  const update = await add(condition, { type: 'UPDATE_CONTACT', branch: 'yes', config: { data } })
  await add(update, { type: 'EXIT', config: { reason: 'paid' } })
  await client.json('PATCH', `/workflows/${id}`, { enabled: true })
  return id
}

/** How many executions of the workflow are EXITED. */
async function hasExited(client: AudienceClient, workflowId: string): Promise<number> {
  const path = `/workflows/${workflowId}/executions?status=EXITED&limit=1`
  return (await client.json<{ total: number }>('GET', path)).total
}

/** Waits until this many executions of the workflow are EXITED. */
export async function untilExited(client: AudienceClient, workflowId: string, count: number): Promise<void> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const exited = await hasExited(client, workflowId)
    if (exited === count) return
    if (performance.now() > deadline) throw new Error(`only ${exited} of ${count} executions are EXITED`)
    await pause(10)
  }
}

/** The CPU time a process has used, with all its threads, from Linux's /proc (in ticks of 10 ms); NaN elsewhere. */
function cpuSeconds(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13)
    return (Number(user) + Number(system)) / 100
  } catch {
    return Number.NaN
  }
}
