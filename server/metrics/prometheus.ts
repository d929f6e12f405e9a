import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Engine } from '../../core/engine.ts'
import type { Metrics } from '../../core/ports/metrics.ts'
import { version } from '../version.ts'
import { QueueTotals } from './queue-totals.ts'
import type { AnsweredRequest, ServerMetrics } from './server-metrics.ts'

/** Upper bounds in seconds. */
const OF_REQUESTS = [0.005, 0.02, 0.05, 0.1, 0.25, 1, 2.5, 10]
const OF_COMMITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const OF_WAITS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200]
const OF_WEBHOOKS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Metrics in a registry of their own, so that several engines in one process do not share them. */
export class PrometheusMetrics implements ServerMetrics {
  readonly engine: Metrics
  readonly #registry = new Registry()
  readonly #queues = new QueueTotals()
  readonly #requests: Counter
  readonly #requestTime: Histogram
  readonly #gauges: ReturnType<typeof gaugesIn>

  constructor() {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Counter({
      name: 'mailwright_http_requests_total',
      help: 'Answered HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#requestTime = new Histogram({
      name: 'mailwright_http_request_duration_seconds',
      help: 'Time until an HTTP answer began.',
      labelNames: ['method', 'route'],
      buckets: OF_REQUESTS,
      registers,
    })
    this.#gauges = gaugesIn(this.#registry)
    this.engine = engineMetrics(this.#registry)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  answered({ method, route, status, seconds }: AnsweredRequest): void {
    this.#requests.inc({ method, route, status })
    this.#requestTime.observe({ method, route }, seconds)
  }

  async text(engine: Engine): Promise<string> {
    const { info, waiting, due, oldest, counted, paused } = this.#gauges
    info.set({ version: version(), role: engine.role }, 1)
    // an api process has no transports, and would only count again what the workers count
    const totals = engine.role === 'api' ? undefined : await this.#queues.get(engine)
    for (const { queue, ...total } of totals?.totals ?? []) {
      waiting.set({ queue }, total.waiting)
      due.set({ queue }, total.due)
      oldest.set({ queue }, total.oldestSeconds)
    }
    if (totals) counted.set(totals.at.getTime() / 1000)
    for (const { name, state } of engine.analytics.operations.transports()) {
      paused.set({ transport: name }, state === 'paused' ? 1 : 0)
    }
    return this.#registry.metrics()
  }
}

/** Gauges, which are read only when they are scraped. */
function gaugesIn(registry: Registry) {
  const registers = [registry]
  const ofQueue = { labelNames: ['queue'], registers }
  return {
    info: new Gauge({
      name: 'mailwright_build_info',
      help: 'Always 1; the version that runs, and the role of the process.',
      labelNames: ['version', 'role'],
      registers,
    }),
    waiting: new Gauge({
      name: 'mailwright_queue_waiting',
      help: 'Work that waits in the store, over all processes: mail by its lane, and the rest.',
      ...ofQueue,
    }),
    due: new Gauge({
      name: 'mailwright_queue_due',
      help: 'Work that waits and could be done now. Mail of a paused campaign counts.',
      ...ofQueue,
    }),
    oldest: new Gauge({
      name: 'mailwright_queue_oldest_seconds',
      help: 'For how long the oldest waiting work has been due.',
      ...ofQueue,
    }),
    counted: new Gauge({
      name: 'mailwright_queue_counted_timestamp_seconds',
      help: 'When what waits was last counted.',
      registers,
    }),
    paused: new Gauge({
      name: 'mailwright_transport_paused',
      help: '1 while this process hands no mail to the transport, because of trouble with its next hop.',
      labelNames: ['transport'],
      registers,
    }),
  }
}

/** The figures that the engine counts while it works. */
function engineMetrics(registry: Registry): Metrics {
  const registers = [registry]
  const accepted = new Counter({
    name: 'mailwright_mails_accepted_total',
    help: 'Mails stored to be sent.',
    labelNames: ['lane'],
    registers,
  })
  const ended = {
    sent: new Counter({
      name: 'mailwright_mails_sent_total',
      help: 'Mails that a next hop accepted.',
      labelNames: ['lane', 'transport'],
      registers,
    }),
    deferred: new Counter({
      name: 'mailwright_mails_deferred_total',
      help: 'Tries after which a mail is tried again later.',
      labelNames: ['lane', 'transport', 'class'],
      registers,
    }),
    failed: new Counter({
      name: 'mailwright_mails_failed_total',
      help: 'Mails given up for another reason than their address.',
      labelNames: ['lane', 'class'],
      registers,
    }),
    bounced: new Counter({
      name: 'mailwright_mails_bounced_total',
      help: 'Mails whose address was refused for good while they were handed over.',
      labelNames: ['lane', 'class'],
      registers,
    }),
    skipped: new Counter({
      name: 'mailwright_mails_skipped_total',
      help: 'Mails not sent, since their address is suppressed, unsubscribed or removed, or they were cancelled.',
      labelNames: ['lane'],
      registers,
    }),
  }
  const latency = new Histogram({
    name: 'mailwright_delivery_latency_seconds',
    help: 'From when a sent mail was due (accepted, scheduled or to be tried again) until its result was stored.',
    labelNames: ['lane'],
    buckets: OF_WAITS,
    registers,
  })
  const reports = new Counter({
    name: 'mailwright_feedback_reports_total',
    help: 'Reports about sent mail that changed something; class is that of a bounce.',
    labelNames: ['kind', 'class'],
    registers,
  })
  const webhooks = new Histogram({
    name: 'mailwright_webhook_duration_seconds',
    help: 'Tries of webhooks, by what became of the delivery.',
    labelNames: ['outcome'],
    buckets: OF_WEBHOOKS,
    registers,
  })
  const commits = new Histogram({
    name: 'mailwright_store_commit_duration_seconds',
    help: 'Time until a write was durable, with its wait for other writes.',
    labelNames: ['write'],
    buckets: OF_COMMITS,
    registers,
  })
  return {
    accepted: (lane, mails) => accepted.inc({ lane }, mails),
    ended({ lane, outcome, failure = 'unknown', transport = '', waitedMs }) {
      if (outcome === 'sent') {
        ended.sent.inc({ lane, transport })
        latency.observe({ lane }, waitedMs / 1000)
      } else if (outcome === 'deferred') ended.deferred.inc({ lane, transport, class: failure })
      else if (outcome === 'skipped') ended.skipped.inc({ lane })
      else ended[outcome].inc({ lane, class: failure })
    },
    reported: (kind, about = 'unknown') =>
      reports.inc(kind === 'bounced' ? { kind, class: about } : { kind, class: '' }),
    webhook: (outcome, tookMs) => webhooks.observe({ outcome }, tookMs / 1000),
    committed: (write, tookMs) => commits.observe({ write }, tookMs / 1000),
  }
}
