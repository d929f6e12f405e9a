import type { Engine } from '../../core/engine.ts'
import type { Metrics } from '../../core/ports/metrics.ts'

/** One answered request. All of it is of a small set, so that no client can make up labels. */
export interface AnsweredRequest {
  readonly method: string
  /** The path's pattern, such as `/contacts/:id`. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Counts what a process does, for Prometheus. */
export interface ServerMetrics {
  /** For `metrics` of `createEngine`. */
  readonly engine: Metrics
  /** Counts an answer of the HTTP API; `createApp` calls it. */
  answered(request: AnsweredRequest): void
  /** All metrics of this process and this engine, in the format of `contentType`. */
  text(engine: Engine): Promise<string>
  /** `text/plain` with the version of the format (Prometheus text exposition format 0.0.4). */
  readonly contentType: string
}

/** The metrics of a process, and the key that opens them: 16 or more characters. */
export interface MetricsAccess {
  readonly key: string
  readonly source: ServerMetrics
}
