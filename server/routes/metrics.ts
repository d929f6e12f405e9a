import type { OpenRoute } from '../http/route.ts'

/** What a monitoring system asks, by its own key. */
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
