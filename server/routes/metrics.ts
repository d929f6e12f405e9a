import type { OpenRoute } from '../http/route.ts'

/** What a monitoring system asks, by its own key. */
export const metricsRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Get what this process counts',
    description:
      'In the format of Prometheus, by the key of the monitoring system. There is none without `METRICS_KEY`.',
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
