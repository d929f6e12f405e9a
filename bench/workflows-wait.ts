import { setTimeout as pause } from 'node:timers/promises'
import { silentLog, systemClock } from '../config/library.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { Store } from '../core/ports/store/store.ts'
import { idSource } from '../core/values/id.ts'
import type { ProjectId } from '../core/values/project-id.ts'
import { AudienceClient } from './audience-client.ts'
import type { Figure } from './figure.ts'
import type { ServerProcess } from './server-process.ts'
import { insertDelayWorkflow, letWait } from './workflows-data.ts'
import { untilExited } from './workflows-track.ts'

/** How many contacts wait while the others become due. */
export const WAITING = 100_000
const TOGETHER = 1_000
const TICKS = 50
const DAY_MS = 86_400_000
/** Time for the server to start before they are due. */
const AHEAD_MS = 8_000

/** Makes many contacts wait in a DELAY of 30 days or more. */
export async function fillWaiting(
  plugin: Plugin<'store'>,
  projectId: ProjectId,
  contactIds: readonly string[],
): Promise<void> {
  await onStore(plugin, async (store) => {
    const graph = await insertDelayWorkflow(store, projectId, 'Crowd')
    const first = Date.now() + 30 * DAY_MS
    await letWait(store, graph, contactIds, (i) => new Date(first + i * 1000))
  })
}

/** The cost of a one-second tick that finds nothing due among the waiting executions: the claim. Aim: 5 ms. */
export function measureTick(plugin: Plugin<'store'>): Promise<readonly Figure[]> {
  return onStore(plugin, async (store) => {
    const newId = idSource(() => Date.now())
    const taken: number[] = []
    for (let tick = 0; tick <= TICKS; tick++) {
      const now = new Date()
      const lease = { token: newId(), until: new Date(now.getTime() + 60_000) }
      const start = performance.now()
      const claimed = await store.executions.claimDue(now, 250, lease)
      if (tick > 0) taken.push(performance.now() - start)
      if (claimed.length > 0) throw new Error(`${claimed.length} were due`)
    }
    const sorted = taken.toSorted((a, b) => a - b)
    const note = `${WAITING.toLocaleString('en')} executions wait in a DELAY`
    return [
      { what: 'wake-up tick, nothing due, median', value: sorted[TICKS / 2] ?? Number.NaN, unit: 'ms', note },
      { what: 'wake-up tick, nothing due, longest', value: sorted.at(-1) ?? Number.NaN, unit: 'ms' },
    ]
  })
}

/** How long after many executions become due the last of them has ended, in an idle server. */
export async function measureDue(
  plugin: Plugin<'store'>,
  projectId: ProjectId,
  contactIds: readonly string[],
  serve: () => Promise<ServerProcess>,
  secretKey: string,
): Promise<readonly Figure[]> {
  const dueAt = new Date(Math.ceil((Date.now() + AHEAD_MS) / 1000) * 1000)
  const graph = await onStore(plugin, async (store) => {
    const made = await insertDelayWorkflow(store, projectId, 'Together')
    await letWait(store, made, contactIds.slice(0, TOGETHER), () => dueAt)
    return made
  })
  const server = await serve()
  try {
    const client = new AudienceClient(server, secretKey)
    const left = dueAt.getTime() - Date.now()
    if (left < 0) throw new Error('the server started too late')
    await pause(left)
    await untilExited(client, graph.workflow.id, TOGETHER)
    const value = Date.now() - dueAt.getTime()
    const note = 'from their second on; the turn begins up to 1 s later'
    return [{ what: `${TOGETHER.toLocaleString('en')} executions due at once: all moved`, value, unit: 'ms', note }]
  } finally {
    await server.stop({ remove: true })
  }
}

async function onStore<T>(plugin: Plugin<'store'>, work: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = await plugin.open({ log: silentLog, clock: systemClock })
  try {
    return await work(store)
  } finally {
    await close?.()
  }
}
