import { loadOptional } from '../../core/plugin/optional-packages.ts'
import type { ServerTraces } from './server-traces.ts'

/** How long the last traces may take to be sent when the process ends, in milliseconds. */
const PATIENCE_MS = 3_000

/** Traces that are sent away, until their end. */
export interface StartedTraces {
  readonly traces: ServerTraces
  /** Sends what is left. Never rejects. */
  end(): Promise<void>
}

/**
 * Starts to send traces where the standard variables of OpenTelemetry say so; undefined otherwise. Throws EngineError
 * `CONFIG_INVALID` with the line that installs the SDK when it is missing.
 */
export async function startTraces(env: NodeJS.ProcessEnv = process.env): Promise<StartedTraces | undefined> {
  const variable = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].find((name) => env[name])
  if (variable === undefined || env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none')
    return undefined
  const { NodeSDK } = await loadOptional(variable, 'traces', () => import('@opentelemetry/sdk-node'))
  const { OpenTelemetryTraces } = await import('./open-telemetry.ts')
  // Prometheus asks for metrics, and the log has its own place
  env.OTEL_METRICS_EXPORTER ??= 'none'
  env.OTEL_LOGS_EXPORTER ??= 'none'
  env.OTEL_SERVICE_NAME ??= 'mailwright'
  const sdk = new NodeSDK({ instrumentations: [] })
  sdk.start()
  return {
    traces: new OpenTelemetryTraces(),
    async end() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS)
      })
      // a collector that is away must not keep the process
      await Promise.race([sdk.shutdown().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}
