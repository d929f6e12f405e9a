import { H3 } from 'h3'
import type { Engine } from '../core/engine.ts'
import { idSource } from '../core/values/id.ts'
import { Cors } from './cors.ts'
import { type AppContext, Exchange } from './exchange.ts'
import { JsonBodies } from './json-bodies.ts'
import { rootsOf } from './logged-path.ts'
import { RateLimit } from './rate-limit.ts'
import type { Route } from './route.ts'
import { attachmentRoutes } from './routes/attachments.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { contactFieldRoutes } from './routes/contact-fields.ts'
import { contactRoutes } from './routes/contacts.ts'
import { deliverabilityRoutes } from './routes/deliverability.ts'
import { domainRoutes, linkHostRoutes } from './routes/domains.ts'
import { emailRoutes } from './routes/emails.ts'
import { eventRoutes } from './routes/events.ts'
import { executionRoutes } from './routes/executions.ts'
import { healthRoutes } from './routes/health.ts'
import { hookRoutes } from './routes/hooks.ts'
import { pageRoutes } from './routes/pages.ts'
import { segmentRoutes } from './routes/segments.ts'
import { suppressionRoutes } from './routes/suppressions.ts'
import { templateRoutes } from './routes/templates.ts'
import { trackingRoutes } from './routes/tracking.ts'
import { publicRoutes } from './routes/v1.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { unmatched } from './unmatched.ts'

export interface AppOptions {
  /** Requests a minute of one project; 1000 by default. */
  readonly requestsPerMinute?: number
  /** Requests a minute of one client address that uses a public key; 60 by default. */
  readonly trackPerMinutePerIp?: number
  /** Visits a minute of one client address to the pages for people; 3000 by default: many may share an address. */
  readonly pagesPerMinutePerIp?: number
  /** Wrong keys and unknown paths a minute of one client address; 300 by default. Right keys always pass. */
  readonly failuresPerMinutePerIp?: number
  /** Requests a minute of one client address to hooks that do not prove who makes them; 60 by default. Others always pass. */
  readonly hookFailuresPerMinutePerIp?: number
  /** Whether the client's address is the last one in `X-Forwarded-For`; right only behind a proxy that sets it. */
  readonly trustProxy?: boolean
  /** Web origins that may call the whole API from a browser. `/v1/track` is open to all. */
  readonly corsOrigins?: readonly string[]
  /** Whether each request is a line in the engine's log; true by default. */
  readonly log?: boolean
}

/** Every endpoint there is. */
export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...contactRoutes,
  ...contactFieldRoutes,
  ...templateRoutes,
  ...segmentRoutes,
  ...campaignRoutes,
  ...workflowRoutes,
  ...executionRoutes,
  ...eventRoutes,
  ...emailRoutes,
  ...suppressionRoutes,
  ...webhookRoutes,
  ...domainRoutes,
  ...deliverabilityRoutes,
  ...linkHostRoutes,
  ...pageRoutes,
  ...trackingRoutes,
  ...attachmentRoutes,
  ...hookRoutes,
  ...healthRoutes,
]

/**
 * The HTTP API of an engine; of one that only works (`role: 'worker'`) nothing but the health. `app.fetch(request)` mounts in anything that speaks web requests, `toNodeHandler(app)` in
 * `node:http` and Express (before any body parser). It opens nothing; the engine is the caller's to start and stop.
 */
export function createApp(engine: Engine, options: AppOptions = {}): H3 {
  const {
    requestsPerMinute = 1000,
    trackPerMinutePerIp = 60,
    pagesPerMinutePerIp = 3000,
    failuresPerMinutePerIp = 300,
    hookFailuresPerMinutePerIp = 60,
    trustProxy = false,
    corsOrigins = [],
    log = true,
  } = options
  const context: AppContext = {
    engine,
    rateLimit: new RateLimit({
      requestsPerMinute,
      trackPerMinutePerIp,
      pagesPerMinutePerIp,
      failuresPerMinutePerIp,
      hookFailuresPerMinutePerIp,
    }),
    cors: new Cors(corsOrigins),
    bodies: new JsonBodies(),
    trustProxy,
    log,
    roots: rootsOf(ROUTES),
    newId: idSource(() => engine.now().getTime()),
  }
  const app = new H3({
    silent: true,
    // A path that is not even well-formed names nothing: 404 like any other, not an error body of another shape
    allowMalformedURL: true,
    onError: (error, event) => new Exchange(context, event, undefined).refuse(error.cause ?? error),
  })
  const routes = engine.role === 'worker' ? healthRoutes : ROUTES
  for (const route of routes) {
    const handler = (event: Parameters<typeof app.handler>[0]) => new Exchange(context, event, route).run(route)
    app.on(route.method, route.path, handler)
    if (route.method === 'GET') app.on('HEAD', route.path, handler)
  }
  return app.all('/**', unmatched(context, routes))
}
