import type { ServerMetrics } from './server-metrics.ts'

/**
 * Makes the metrics of a process: `metrics.engine` goes to `createEngine`, `{ key, source: metrics }` to `createApp`, which
 * then answers `GET /metrics`. The library behind it is loaded only here.
 */
export async function serverMetrics(): Promise<ServerMetrics> {
  const { PrometheusMetrics } = await import('./prometheus.ts')
  return new PrometheusMetrics()
}
