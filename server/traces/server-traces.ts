import type { Traces } from '../../core/ports/traces.ts'

/** A request that is answered by `run` within its trace. */
export interface TracedRequest {
  readonly method: string
  /** The path's pattern. */
  readonly route: string
  /** In which the caller may name the trace it belongs to (W3C Trace Context). */
  readonly headers: Headers
}

/** Traces requests and what becomes of their mail. */
export interface ServerTraces {
  /** For `traces` of `createEngine`. */
  readonly engine: Traces
  /** Answers what `run` answers. */
  request<T extends { readonly status?: number | undefined }>(about: TracedRequest, run: () => Promise<T>): Promise<T>
}
