import { statfs } from 'node:fs/promises'
import { type OpenRoute, ok } from '../route.ts'
import { OperatorState } from '../schemas/operator.ts'
import { version } from '../version.ts'

/** What the operator of the installation sees, by a key of its own. */
export const operatorRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/operator',
    operation: 'getOperatorView',
    summary: 'How the installation stands, by the key of the operator: projects, queues, workers, transports, disk',
    access: 'open',
    proves: true,
    ownKey: 'operatorKey',
    quiet: true,
    gives: { 200: OperatorState },
    fails: [401, 404],
    async handle(engine, request) {
      request.requireOperator()
      const [view, health, disk] = await Promise.all([engine.operations.view(), engine.health(), freeDisk()])
      const { ok: isOk, degraded, parts } = health
      const process_ = { version: version(), role: engine.role, uptimeSeconds: Math.round(process.uptime()) }
      return ok({
        status: isOk ? (degraded ? 'degraded' : 'ok') : 'down',
        parts,
        process: { ...process_, residentBytes: process.memoryUsage.rss() },
        disk,
        ...view,
      })
    },
  },
]

/** Of the working directory, which by default holds the data. */
async function freeDisk(): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(process.cwd())
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return null // some systems do not tell
  }
}
