import type { Engine, Health } from '../../core/engine.ts'
import { HealthState, ServiceDown } from '../answers/health.ts'
import { Ok } from '../answers/parts.ts'
import { type OpenRoute, ok } from '../http/route.ts'

/** How long the parts may take to answer, in milliseconds. */
const PATIENCE_MS = 5000

/** Whether the service works, for load balancers and people. */
export const healthRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/health',
    operation: 'getHealth',
    summary: 'Check that every part works',
    description: '503 if an essential part is down.',
    access: 'open',
    gives: { 200: HealthState, 503: ServiceDown },
    async handle(engine) {
      const health = await asked(engine)
      // Errors go only into the log, since they may name hosts and paths, and any client may ask here
      const parts = Object.entries(health?.parts ?? {}).map(([name, { ok }]) => [name, ok ? 'ok' : 'down'])
      const status = health?.degraded ? 'degraded' : 'ok'
      const body = { status: health?.ok ? status : 'down', parts: Object.fromEntries(parts) }
      // also while a next hop is away: this process accepts mail, and another one could not reach it either
      if (health?.ok) return ok(body)
      engine.log.warn('a part is down', { health: health?.parts ?? `no answer within ${PATIENCE_MS} ms` })
      return {
        status: 503,
        body: { ...body, message: 'A part of the service is down.' },
        headers: { 'retry-after': '5' },
      }
    },
  },
  {
    method: 'GET',
    path: '/health/live',
    operation: 'getLiveness',
    summary: 'Check that the process responds',
    description:
      'It checks no other part, so that a supervisor does not restart a process because the database cannot be reached.',
    access: 'open',
    gives: { 200: Ok },
    async handle() {
      return ok({ status: 'ok' })
    },
  },
]

/** The engine's health; undefined when it does not answer in time. */
async function asked(engine: Engine): Promise<Health | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, undefined)
  })
  try {
    return await Promise.race([engine.health(), late])
  } finally {
    clearTimeout(timer)
  }
}
