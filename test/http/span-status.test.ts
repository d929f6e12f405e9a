import { type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, it, onTestFinished } from 'vitest'
import { OpenTelemetryTraces } from '../../server/traces/open-telemetry.ts'

/** The statuses of spans of requests that were answered so. */
async function statusesOf(answers: readonly number[]): Promise<readonly (number | undefined)[]> {
  const statuses: (number | undefined)[] = []
  const span: Partial<Span> = {
    setAttribute: () => span as Span,
    setStatus({ code }) {
      statuses[statuses.length - 1] = code
      return span as Span
    },
    end: () => {},
  }
  const startActiveSpan = (...given: unknown[]) => {
    statuses.push(undefined)
    return (given.at(-1) as (span: unknown) => unknown)(span)
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: () => span as Span, startActiveSpan }) })
  onTestFinished(() => trace.disable())
  const traces = new OpenTelemetryTraces()
  for (const status of answers) {
    await traces.request({ method: 'GET', route: '/health', headers: new Headers() }, async () => ({ status }))
  }
  return statuses
}

it('a span of a request is an error from 500 on, and never for what a caller did wrong', async () => {
  expect(await statusesOf([200, 404, 499, 500, 503])).toEqual([
    ...[undefined, undefined, undefined],
    ...[SpanStatusCode.ERROR, SpanStatusCode.ERROR],
  ])
})
