import {
  context,
  propagation,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import type { Traces } from '../../core/ports/traces.ts'
import { version } from '../version.ts'
import type { ServerTraces } from './server-traces.ts'

/** Of how many accepted mails this process knows the request. */
const REMEMBERED = 10_000

const ofHeaders: TextMapGetter<Headers> = {
  keys: (headers) => [...headers.keys()],
  get: (headers, key) => headers.get(key) ?? undefined,
}

/** Traces by OpenTelemetry, to the SDK that this process has started; and nowhere without one. */
export class OpenTelemetryTraces implements ServerTraces {
  readonly engine: Traces
  readonly #tracer = trace.getTracer('mailwright', version())
  /** The requests that mails came from. The ledger does not keep them: a try in another process begins a trace of its own. */
  readonly #origins = new Map<string, SpanContext>()

  constructor() {
    this.engine = {
      accepted: (emailIds) => this.#accepted(emailIds),
      begin: ({ id, lane, transport, attempt }) => {
        const origin = this.#origins.get(id)
        const parent = origin ? trace.setSpanContext(context.active(), origin) : context.active()
        const attributes = {
          'mailwright.email.id': id,
          'mailwright.lane': lane,
          'mailwright.transport': transport,
          'mailwright.attempt': attempt,
        }
        const root = origin === undefined
        const span = this.#tracer.startSpan('hand over a mail', { kind: SpanKind.CLIENT, attributes, root }, parent)
        return (failure) => {
          if (failure !== undefined) {
            span.setAttribute('error.type', failure)
            span.setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        }
      },
    }
  }

  request: ServerTraces['request'] = ({ method, route, headers }, run) => {
    const caller = propagation.extract(context.active(), headers, ofHeaders)
    const attributes = { 'http.request.method': method, 'http.route': route }
    const options = { kind: SpanKind.SERVER, attributes }
    return this.#tracer.startActiveSpan(`${method} ${route}`, options, caller, async (span) => {
      try {
        const answer = await run()
        if (answer.status !== undefined) span.setAttribute('http.response.status_code', answer.status)
        if ((answer.status ?? 200) >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        return answer
      } finally {
        span.end()
      }
    })
  }

  #accepted(emailIds: readonly string[]): void {
    const origin = trace.getSpanContext(context.active())
    if (!origin) return
    for (const id of emailIds.slice(0, REMEMBERED)) this.#origins.set(id, origin)
    for (const [id] of this.#origins) {
      if (this.#origins.size <= REMEMBERED) break
      this.#origins.delete(id)
    }
  }
}
