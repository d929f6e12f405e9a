import { statfs } from 'node:fs/promises'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { User } from '../../core/ports/store/users.ts'
import { OperatorState } from '../answers/operator.ts'
import { type OpenRoute, ok, type UserRoute } from '../http/route.ts'
import { version } from '../version.ts'

/** Routes for the operator of the installation, by its own key. */
export const operatorRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/operator',
    operation: 'getOperatorView',
    summary: 'Get the state of the installation',
    description:
      "Projects, queues, workers, transports and disk. Needs the operator's key; does not exist without `OPERATOR_KEY`.",
    access: 'open',
    proves: true,
    ownKey: 'operatorKey',
    quiet: true,
    gives: { 200: OperatorState },
    fails: [401, 404],
    async handle(engine, request) {
      request.requireOperator()
      return ok(await stateOf(engine))
    },
  },
]

/** The same for people. */
export const myOperatorRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me/operator',
    operation: 'getMyOperatorView',
    summary: 'Get the state of the installation, as the user who runs it',
    description:
      'The same as `GET /operator`, for a user created by the set-up link or on the command line, unless a project belongs only to others; `operator` of `GET /users/@me` says so.',
    access: 'user',
    quiet: true,
    gives: { 200: OperatorState },
    fails: [403],
    async handle(engine, { user }) {
      await requireOperator(engine, user)
      return ok(await stateOf(engine))
    },
  },
]

/** Throws EngineError `FORBIDDEN` unless this person runs the server. */
export async function requireOperator(engine: Engine, user: User): Promise<void> {
  if (await engine.accounts.members.isOperator(user)) return
  throw new EngineError('FORBIDDEN', 'Only the person who runs this server may do this.', {
    suggestion: 'That is the user who was created by the set-up link or on the command line.',
  })
}

/** Routes for a monitoring system, by its own key. */
export const metricsRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Get the metrics of this process',
    description:
      "In the format of Prometheus. Needs the monitoring system's key; does not exist without `METRICS_KEY`.",
    access: 'open',
    proves: true,
    ownKey: 'metricsKey',
    quiet: true,
    gives: { 200: 'text/plain' },
    fails: [401, 404],
    async handle(engine, request) {
      const metrics = request.requireMetrics()
      return { status: 200, raw: await metrics.text(engine), headers: { 'content-type': metrics.contentType } }
    },
  },
]

async function stateOf(engine: Engine) {
  const [view, health, disk] = await Promise.all([engine.analytics.operations.view(), engine.health(), freeDisk()])
  const { ok: isOk, degraded, parts } = health
  const process_ = { version: version(), role: engine.role, uptimeSeconds: Math.round(process.uptime()) }
  return {
    status: isOk ? (degraded ? 'degraded' : 'ok') : 'down',
    parts,
    process: { ...process_, residentBytes: process.memoryUsage.rss() },
    disk,
    ...view,
    projects: view.projects.map((project) => ({ ...project, mailWay: engine.installation.wayOf(project) })),
  }
}

/** Of the working directory, which by default holds the data. */
async function freeDisk(): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(process.cwd())
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return null // some systems do not tell
  }
}
