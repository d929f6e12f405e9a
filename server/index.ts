export { toNodeHandler } from 'h3'
export { type AppOptions, createApp } from './app.ts'
export { serverMetrics } from './metrics/make-metrics.ts'
export type { AnsweredRequest, MetricsAccess, ServerMetrics } from './metrics/server-metrics.ts'
