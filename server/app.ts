import { H3, type H3Event } from 'h3'
import type { Engine } from '../core/engine.ts'
import { EngineError } from '../core/errors.ts'
import { DASHBOARD_PATH } from '../core/values/dashboard-path.ts'
import { idSource } from '../core/values/id.ts'
import { JsonBodies } from './http/body.ts'
import { Cors } from './http/cors.ts'
import { type AppContext, Exchange } from './http/exchange.ts'
import { OrderedWaits } from './http/faults.ts'
import { foreignList } from './http/foreign-list.ts'
import { foreignRoutes, pathOf, unknownRoute } from './http/foreign-routes.ts'
import { type HostCaller, HostLogin, type HostPages, requireHostPages } from './http/host-login.ts'
import type { App } from './http/http-server.ts'
import { ADDRESS_LIMITS, RateLimit, type RateLimits } from './http/rate-limit.ts'
import { rootsOf } from './http/request-head.ts'
import { type AnyEndpoint, type KeyRoute, type Route, rulesOf } from './http/route.ts'
import { unmatched } from './http/unmatched.ts'
import { mcp } from './mcp/mcp-api.ts'
import type { MetricsAccess } from './metrics/server-metrics.ts'
import { OAuthProviders } from './oauth/oauth-providers.ts'
import { accountPageRoutes } from './routes/account-pages.ts'
import { activityRoutes } from './routes/activity.ts'
import { analyticsRoutes, deliverabilityRoutes } from './routes/analytics.ts'
import { archiveRoutes } from './routes/archive.ts'
import { assistantRoutes } from './routes/assistant.ts'
import { attachmentRoutes } from './routes/attachments.ts'
import { auditRoutes } from './routes/audit.ts'
import { authRoutes } from './routes/auth.ts'
import { blocklistRoutes, myBlocklistRoutes } from './routes/blocklists.ts'
import { browsableRoutes, rootRoute } from './routes/browsable.ts'
import { campaignFilingRoutes } from './routes/campaign-filing.ts'
import { campaignSeriesRoutes } from './routes/campaign-series.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { clientLoginRoutes } from './routes/client-login.ts'
import { contactFieldRoutes } from './routes/contact-fields.ts'
import { contactRoutes } from './routes/contacts.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { documentationRoutes, made as madeDocument } from './routes/documentation.ts'
import { domainReportRoutes } from './routes/domain-reports.ts'
import { domainRoutes, linkHostRoutes, stsRoutes } from './routes/domains.ts'
import { draftRoutes } from './routes/drafts.ts'
import { emailRoutes } from './routes/emails.ts'
import { eventRoutes } from './routes/events.ts'
import { executionRoutes } from './routes/executions.ts'
import { formPageRoutes } from './routes/form-pages.ts'
import { formRoutes } from './routes/forms.ts'
import { forwardPageRoutes } from './routes/forward-pages.ts'
import { grantRoutes } from './routes/grants.ts'
import { healthRoutes } from './routes/health.ts'
import { hookRoutes } from './routes/hooks.ts'
import { inboxEventRoutes } from './routes/inbox-events.ts'
import { inboxRoutes } from './routes/inboxes.ts'
import { keyRoutes } from './routes/keys.ts'
import { layoutRoutes } from './routes/layouts.ts'
import { leavePageRoutes } from './routes/leave-pages.ts'
import { mailPageRoutes } from './routes/mail-pages.ts'
import { mailServerRoutes } from './routes/mail-servers.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { metricsRoutes, myOperatorRoutes, operatorRoutes } from './routes/operator.ts'
import { peopleRoutes } from './routes/people.ts'
import { presenceRoutes } from './routes/presence.ts'
import { projectMailServerRoutes } from './routes/project-mail-servers.ts'
import { projectRoutes } from './routes/projects.ts'
import { myRoutingRoutes, routingRoutes } from './routes/routing.ts'
import { sandboxRoutes } from './routes/sandbox.ts'
import { seedRoutes } from './routes/seeds.ts'
import { segmentRoutes } from './routes/segments.ts'
import { snippetRoutes } from './routes/snippets.ts'
import { pageRoutes } from './routes/subscription-pages.ts'
import { suppressionRoutes } from './routes/suppressions.ts'
import { templateVersionRoutes } from './routes/template-versions.ts'
import { templateRoutes } from './routes/templates.ts'
import { threadRoutes } from './routes/threads.ts'
import { topicRoutes } from './routes/topics.ts'
import { trackingRoutes } from './routes/tracking.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { userRoutes } from './routes/users.ts'
import { publicRoutes } from './routes/v1.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'
import type { ServerTraces } from './traces/server-traces.ts'

export interface AppOptions {
  /** Requests per minute from one project. Default 1000. */
  readonly requestsPerMinute?: number
  /** Requests per minute from one client address with a public key. Default 60. */
  readonly trackPerMinutePerIp?: number
  /**
   * Visits per minute from one client address to the subscription pages. Default 3000, since many
   * people may share an address.
   */
  readonly pagesPerMinutePerIp?: number
  /** Wrong keys and unknown paths per minute from one client address. Default 300. Right keys always pass. */
  readonly failuresPerMinutePerIp?: number
  /**
   * Unauthenticated requests to hooks per minute from one client address. Default 60. Authenticated ones always pass.
   */
  readonly hookFailuresPerMinutePerIp?: number
  /** Whether the client's address is the last one in `X-Forwarded-For`. Safe only behind a proxy that sets it. */
  readonly trustProxy?: boolean
  /** Web origins that may call the whole API from a browser. `/v1/track` is open to all origins. */
  readonly corsOrigins?: readonly string[]
  /**
   * Whether this server may have names that it does not know: pages that were loaded from the host that a request names
   * then count as its own, so that an attacker who points a name at it (DNS rebinding) is not held off. Default: true
   * without a `publicUrl` of the engine, else false.
   */
  readonly anyHost?: boolean
  /** Opens `GET /operator`, 16 or more characters. Without it there is nothing at that path. */
  readonly operatorKey?: string | undefined
  /** Counts requests, and opens `GET /metrics`; see `serverMetrics`. Without it there is nothing at that path. */
  readonly metrics?: MetricsAccess | undefined
  /** Traces each request. */
  readonly traces?: ServerTraces | undefined
  /** Whether each request is logged. Default true. */
  readonly log?: boolean
  /**
   * Lets people who are logged in at your app into the API and the dashboard, without an account here: says who sends a
   * request. It is asked of each request for callers that has no `Authorization`, before our own cookies count. When it
   * throws, takes over 10 seconds or answers something else, the request is refused with 503.
   */
  readonly caller?: HostCaller
  /** Where your app logs these people in and out. */
  readonly hostPages?: HostPages
  /** The path of the dashboard, such as `/app`; false: there is none. Default `/app`. */
  readonly dashboard?: string | false
  /**
   * Answers only these parts, and 404 to everything else: for an app that calls the rooms itself and needs the server for
   * what mail leads back to. The health is always there. Default: everything.
   */
  readonly only?: readonly AppPart[]
}

/**
 * A part of the HTTP API. `pages`: targets of links in mails and all that is open to the public, such as unsubscribing,
 * forms, the archive, counted opens and clicks, pictures and attachments. `hooks`: where providers send reports.
 */
export type AppPart = 'pages' | 'hooks'

const PARTS: Readonly<Record<AppPart, readonly Route[]>> = {
  pages: [
    ...[
      pageRoutes,
      leavePageRoutes,
      forwardPageRoutes,
      formPageRoutes,
      mailPageRoutes,
      archiveRoutes,
      trackingRoutes,
      attachmentRoutes,
      stsRoutes,
    ].flat(),
    ...uploadRoutes.filter(({ access }) => access === 'open'),
  ],
  hooks: hookRoutes,
}

/** The routes of these parts, and the health. Throws EngineError `CONFIG_INVALID` for a part that there is not. */
function routesOf(only: readonly AppPart[]): readonly Route[] {
  const parts = only.flatMap((name) => {
    if (Object.hasOwn(PARTS, name)) return PARTS[name]
    const known = Object.keys(PARTS).join(' and ')
    throw new EngineError('CONFIG_INVALID', `createApp: only: there is no part "${name}"; the parts are ${known}.`)
  })
  return [...parts, ...healthRoutes]
}

/** All endpoints. */
export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...contactRoutes,
  ...contactFieldRoutes,
  ...templateRoutes,
  ...snippetRoutes,
  ...layoutRoutes,
  ...topicRoutes,
  ...templateVersionRoutes,
  ...segmentRoutes,
  ...formRoutes,
  ...campaignRoutes,
  ...campaignFilingRoutes,
  ...campaignSeriesRoutes,
  ...workflowRoutes,
  ...executionRoutes,
  ...eventRoutes,
  ...emailRoutes,
  ...sandboxRoutes,
  ...seedRoutes,
  ...inboxRoutes,
  ...inboxEventRoutes,
  ...threadRoutes,
  ...draftRoutes,
  ...assistantRoutes,
  ...suppressionRoutes,
  ...webhookRoutes,
  ...projectMailServerRoutes,
  ...domainRoutes,
  ...domainReportRoutes,
  ...deliverabilityRoutes,
  ...activityRoutes,
  ...analyticsRoutes,
  ...keyRoutes,
  ...grantRoutes,
  ...auditRoutes,
  ...presenceRoutes,
  ...linkHostRoutes,
  ...stsRoutes,
  ...projectRoutes,
  ...userRoutes,
  ...authRoutes,
  ...oauthRoutes,
  ...accountPageRoutes,
  ...pageRoutes,
  ...leavePageRoutes,
  ...forwardPageRoutes,
  ...formPageRoutes,
  ...mailPageRoutes,
  ...archiveRoutes,
  ...trackingRoutes,
  ...attachmentRoutes,
  ...uploadRoutes,
  ...hookRoutes,
  ...healthRoutes,
  ...operatorRoutes,
  ...myOperatorRoutes,
  ...mailServerRoutes,
  ...peopleRoutes,
  ...routingRoutes,
  ...blocklistRoutes,
  ...myRoutingRoutes,
  ...myBlocklistRoutes,
  ...metricsRoutes,
  rootRoute,
  ...documentationRoutes(() => ROUTES),
  ...browsableRoutes,
]

/**
 * An engine's HTTP API; for one that only works (`role: 'worker'`), just the health, the operator's view and the metrics. `app.fetch(request)` mounts in
 * anything that speaks web requests, `toNodeHandler(app)` in `node:http` and Express (before any body parser). It opens
 * nothing; the caller starts and stops the engine.
 */
export function createApp(engine: Engine, options: AppOptions = {}): App {
  return reloadableApp(engine, options).app
}

/**
 * The options of an app that may change while it runs: its limits, and keys; a key that is undefined opens nothing any
 * more.
 */
interface ReloadedOptions extends Pick<RateLimits, 'requestsPerMinute' | 'trackPerMinutePerIp'> {
  readonly operatorKey: string | undefined
  /** Opens the metrics; without effect where nothing is counted. */
  readonly metricsKey: string | undefined
}

/** An app whose limits and keys may change. */
export interface ReloadableApp {
  readonly app: H3
  change(options: ReloadedOptions): void
}

/** Throws EngineError `CONFIG_INVALID` for a path under which the dashboard could not be found. */
function requireDashboardPath(path: string | false): void {
  if (path === false || DASHBOARD_PATH.test(path)) return
  const message =
    'createApp: dashboard: must be a path such as /app, with one to four parts of letters, digits, - and _, or false.'
  throw new EngineError('CONFIG_INVALID', message)
}

/** As `createApp`, for an app whose limits and keys may change while it runs. */
export function reloadableApp(engine: Engine, options: AppOptions): ReloadableApp {
  const {
    requestsPerMinute = 1000,
    trackPerMinutePerIp = ADDRESS_LIMITS.trackPerMinutePerIp,
    pagesPerMinutePerIp = ADDRESS_LIMITS.pagesPerMinutePerIp,
    failuresPerMinutePerIp = ADDRESS_LIMITS.failuresPerMinutePerIp,
    hookFailuresPerMinutePerIp = ADDRESS_LIMITS.hookFailuresPerMinutePerIp,
    trustProxy = false,
    corsOrigins = [],
    anyHost = engine.installation.publicAddress().given === undefined,
    log = true,
    dashboard = '/app',
    operatorKey,
    metrics,
    traces,
    only,
    caller,
    hostPages = {},
  } = options
  requireHostPages(hostPages)
  requireDashboardPath(dashboard)
  const { dashboardUrl } = engine.accounts.settings
  const others = new Set([...corsOrigins, ...(dashboardUrl === undefined ? [] : [new URL(dashboardUrl).origin])])
  const context: { -readonly [Name in keyof AppContext]: AppContext[Name] } = {
    engine,
    rateLimit: new RateLimit({
      requestsPerMinute,
      trackPerMinutePerIp,
      pagesPerMinutePerIp,
      failuresPerMinutePerIp,
      hookFailuresPerMinutePerIp,
    }),
    waits: new OrderedWaits(),
    cors: new Cors(others),
    origins: {
      publicUrl: engine.installation.publicAddress().given,
      get setUrl() {
        const { url, given } = engine.installation.publicAddress()
        return url === given ? undefined : url
      },
      others,
      anyHost,
    },
    host: caller && new HostLogin(caller, engine),
    hostPages,
    providers: new OAuthProviders(engine),
    bodies: new JsonBodies(),
    trustProxy,
    operatorKey,
    metrics,
    log,
    dashboard,
    operations: operationsOf(engine),
    roots: rootsOf(ROUTES),
    newId: idSource(() => engine.now().getTime()),
  }
  const app = new H3({
    silent: true,
    // A malformed path names nothing: 404 like any other, and not an error body of another form
    allowMalformedURL: true,
    onError: (error, event) => new Exchange(context, event, undefined).refuse(error.cause ?? error),
  })
  const all: readonly AnyEndpoint[] = [
    ...ROUTES,
    ...engine.compat.flatMap((each) => [foreignList(each), ...foreignRoutes(pathOf(each.name), each.api)]),
    ...foreignRoutes(
      '/mcp',
      mcp(() => madeDocument(() => ROUTES, engine.publicUrl).document),
    ),
    ...clientLoginRoutes,
    ...(dashboard === false ? [] : dashboardRoutes(dashboard)),
  ]
  const routes: readonly AnyEndpoint[] =
    engine.role === 'worker'
      ? [...healthRoutes, ...operatorRoutes, ...metricsRoutes]
      : only === undefined
        ? all
        : routesOf(only)
  for (const route of routes) {
    const rules = rulesOf(route, engine)
    const answer = (event: H3Event) => new Exchange(context, event, route).run(route, rules)
    const traced = ({ req: { method, headers } }: H3Event) => ({ method, headers, route: route.path })
    const handler = traces ? (event: H3Event) => traces.request(traced(event), () => answer(event)) : answer
    app.on(route.method, route.path, handler)
    // h3 would answer HEAD by itself, but for the handler of all other paths
    if (route.method === 'GET') app.on('HEAD', route.path, handler)
  }
  app.all('/**', unmatched(context, routes, engine.compat.map(unknownRoute)))
  return {
    app,
    change({ operatorKey, metricsKey, ...limits }) {
      context.rateLimit.change(limits)
      context.operatorKey = operatorKey
      context.metrics = metrics && metricsKey !== undefined ? { ...metrics, key: metricsKey } : undefined
    },
  }
}

/** The endpoints for callers by their operations, with the rules of each. */
function operationsOf(engine: Engine): AppContext['operations'] {
  const routes = ROUTES.filter((route): route is KeyRoute => route.access === 'secret' || route.access === 'public')
  return new Map(routes.map((route) => [route.operation, { route, rules: rulesOf(route, engine) }]))
}
