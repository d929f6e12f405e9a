import type { IncomingMessage, ServerResponse } from 'node:http'
import { type H3Event, HTTPResponse } from 'h3'
import type { Engine } from '../../core/engine.ts'
import { EngineError, type ErrorKind } from '../../core/errors.ts'
import type { OurInput } from '../../core/ports/foreign-api.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { isListedOrigin } from '../../core/subscriptions/forms/origins.ts'
import type { NewId } from '../../core/values/id.ts'
import { type UntrustedInput, untrusted } from '../../core/values/input.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { warningsOf, withUnknownKeys } from '../../core/values/parse.ts'
import type { MetricsAccess } from '../metrics/server-metrics.ts'
import type { OAuthProviders } from '../oauth/oauth-providers.ts'
import { troublePage } from '../pages/subscription-pages.ts'
import { requireAccess } from './access.ts'
import { type AuditedRequest, audited, isAudited, noteEntrance } from './audited.ts'
import { type JsonBodies, leaveUnread, PUBLIC_BODY, readBody } from './body.ts'
import { type CallingRequest, callerOf, type Doors, requireOwnPage, sessionOf, userOf } from './caller.ts'
import { isSecure, writeCookie } from './cookies.ts'
import type { Cors } from './cors.ts'
import { problemBody, problemHeaders, toProblem } from './errors.ts'
import { FAULT_FIELD, OrderedError, type OrderedWaits, orderedFault } from './faults.ts'
import {
  digestible,
  foreignCaller,
  foreignRefusal,
  headersOf,
  ownBase,
  RequestToForeign,
  readForeignBody,
  tokenChallenge,
} from './foreign.ts'
import { type HostPages, isOfHost, noAccount } from './host-login.ts'
import { placeOfVersion, withIfMatch } from './if-match.ts'
import { isLarge, jsonPieces } from './large-json.ts'
import { acceptedLanguages, compressed, wantsJson, withLength } from './negotiation.ts'
import { answeredOnce } from './once.ts'
import type { Allowance, RateLimit } from './rate-limit.ts'
import { clientAddress, fullAddress, loggedPath, requestIdOf, requirePlainRequest, UNMATCHED } from './request-head.ts'
import { ApiRequest, PublicRequest, partsOf, type RequestParts, UserRequest } from './requests.ts'
import type { AnyEndpoint, ForeignRoute, KeyRoute, OpenRoute, Reply, Route, RouteRules, UserRoute } from './route.ts'
import { senderOf } from './same-origin.ts'
import { bytesOf } from './stream.ts'
import { queryWarnings, withWarnings } from './warnings.ts'

/** The parts that all requests of an app share. */
export interface AppContext extends Doors {
  /** Where the app around this one logs people in and out. */
  readonly hostPages: HostPages
  readonly rateLimit: RateLimit
  readonly waits: OrderedWaits
  readonly cors: Cors
  readonly providers: OAuthProviders
  readonly bodies: JsonBodies
  readonly trustProxy: boolean
  /** Opens the operator's view; there is none without it. */
  readonly operatorKey: string | undefined
  /** Counts what is answered, and opens `GET /metrics`; there is none without it. */
  readonly metrics: MetricsAccess | undefined
  readonly log: boolean
  /** The path of the dashboard; false: there is none. */
  readonly dashboard: string | false
  /** The endpoints for callers by their operations. */
  readonly operations: ReadonlyMap<string, { readonly route: KeyRoute; readonly rules: RouteRules }>
  /** The first parts of all paths. */
  readonly roots: ReadonlySet<string>
  readonly newId: NewId
}

/** Browsers that came by https once come by nothing else for a year (RFC 6797). */
const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const

/** Answers hold private data, and must be read as the type they state. A route may override this. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/**
 * A request that cannot be authenticated just now counts as unauthenticated, since each such
 * answer costs lines in the log.
 */
const UNPROVEN: ReadonlySet<ErrorKind> = new Set(['unauthenticated', 'forbidden', 'unavailable'])

/** The methods that are counted by name: a client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** One request and its answer: the order of the checks, the header fields of all answers, and the log line. */
export class Exchange {
  readonly #began = performance.now()
  readonly #requestId: string
  #caller: Caller | undefined
  #allowance: Allowance | undefined
  /** Whether the page that calls by script is one of those the endpoint is for. */
  #isFromListed = false

  constructor(
    private readonly context: AppContext,
    private readonly event: H3Event,
    private readonly route: AnyEndpoint | undefined,
  ) {
    this.#requestId = requestIdOf(event.req.headers.get('x-request-id'), context.newId)
  }

  /** Runs the endpoint. Never rejects: whatever is thrown becomes an error body. */
  async run(route: AnyEndpoint, rules: RouteRules): Promise<HTTPResponse> {
    try {
      requirePlainRequest(this.event.req)
      if (route.access === 'open') return this.reply(await this.#open(route, rules))
      if (route.access === 'user') return this.reply(await this.#ofUser(route, rules))
      return this.reply(await (route.access === 'foreign' ? this.#ofForeign(route, rules) : this.#ofKey(route, rules)))
    } catch (error) {
      return this.refuse(error)
    }
  }

  /** Sends a reply. */
  reply({ status, body, stream, patienceMs, raw, headers, cookies = [] }: Reply): HTTPResponse {
    // a body that takes long to write is written while it is sent
    const isLong = isLarge(body)
    const text = body === undefined || isLong ? null : JSON.stringify(body)
    this.#note(status)
    leaveUnread(this.event.req)
    const pieces = isLong ? jsonPieces(body) : stream
    const streamed =
      pieces && bytesOf(pieces, (error) => this.#broke(error), patienceMs && { patienceMs, cut: () => this.#tooSlow() })
    const fields = {
      ...ALWAYS,
      ...(this.context.engine.publicUrl?.startsWith('https:') ? HSTS : undefined),
      ...(body === undefined ? undefined : { 'content-type': 'application/json; charset=utf-8' }),
      'x-request-id': this.#requestId,
      ...this.#allowance,
      ...this.context.cors.headers(
        this.event.req.headers.get('origin'),
        this.route?.access === 'public' || this.#isFromListed,
      ),
      ...headers,
    }
    const content = { body: streamed ?? raw ?? text, fields }
    const { method, headers: asked } = this.event.req
    // HEAD is answered without a body, so there is nothing to compress; an export goes out as it is read
    const sent = stream ? content : compressed(content, method === 'HEAD' ? null : asked.get('accept-encoding'))
    for (const cookie of cookies) writeCookie(this.event, cookie, isSecure(this.context.origins, this.event.url))
    // not a `Response`: h3 would not know it where a host has replaced the global one, as Hono's server does
    return new HTTPResponse(sent.body, { status, headers: withLength(status, sent, method) })
  }

  /** Sends an error. One that is not the caller's doing is logged in full. */
  refuse(error: unknown, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
    const { engine } = this.context
    const problem = toProblem(error)
    const requestId = this.#requestId
    const isNews = problem.status >= 500 && !problem.isTold && !(error instanceof OrderedError)
    if (isNews) engine.log.error('a request failed', { requestId, error })
    const all: Record<string, string> = { ...problemHeaders(problem), ...headers }
    if (this.route?.access === 'foreign') {
      const { api, base } = this.route
      const answer = foreignRefusal(this.route, problem, requestId)
      if (api.takesTokens && problem.status === 401)
        all['www-authenticate'] = tokenChallenge(ownBase(engine, this.event.url), base, problem.code)
      return this.reply({ ...answer, headers: { ...all, ...answer.headers } })
    }
    const errors = this.route?.errors
    if (errors === 'page' || (errors === 'page-or-json' && !wantsJson(this.event.req.headers))) {
      const languages = acceptedLanguages(this.event.req.headers.get('accept-language') ?? undefined)
      return this.reply(troublePage(problem.status, languages, all))
    }
    const flat = errors === 'flat'
    const body = problemBody(problem, { flat, requestId, now: engine.now() })
    return this.reply({ status: problem.status, body, headers: all })
  }

  /** Authenticated requests always pass, so that others who share the address cannot lock a provider out. */
  async #open(route: OpenRoute, rules: RouteRules): Promise<Reply> {
    const { engine, rateLimit, trustProxy, origins, bodies } = this.context
    if (route.origins) this.#isFromListed = await isListed(engine, route, this.event)
    if (route.errors) await this.#countVisit()
    try {
      const sender = route.ownPagesOnly && senderOf({ headers: this.event.req.headers, url: this.event.url }, origins)
      if (sender === 'foreign') requireOwnPage(sender)
      const read = untrusted(route.body && (await readBody(this.event, route.body, rules.bodyLimit, bodies)))
      const body = this.#matched(route, read)
      const request = new PublicRequest(this.event, this.context, body)
      const reply = await route.handle(engine, request)
      if (reply.by) await noteEntrance(engine, this.#told(route), reply.by)
      return withWarnings(reply, warningsOf(body))
    } catch (error) {
      const address = route.proves && clientAddress(this.event, trustProxy)
      if (address === undefined || !EngineError.is(error)) throw error
      if (error.kind === 'missing') throw (await rateLimit.countFailure(address)) ?? error
      const isUnproven = UNPROVEN.has(error.kind)
      throw (isUnproven && (await rateLimit.countHookFailure(address))) || error
    }
  }

  async #countVisit(): Promise<void> {
    const { rateLimit, trustProxy } = this.context
    const address = clientAddress(this.event, trustProxy)
    const refusal = address === undefined ? undefined : await rateLimit.countVisit(address)
    if (refusal) throw refusal
  }

  /** Counts a wrong key or an unknown path for the client's address. Answers the refusal when it is one too many. */
  async countFailure(): Promise<EngineError | undefined> {
    const { rateLimit, trustProxy } = this.context
    const address = clientAddress(this.event, trustProxy)
    return address === undefined ? undefined : rateLimit.countFailure(address)
  }

  /**
   * The key is checked before failures are counted, so that a user who shares an address with a guesser is not locked
   * out.
   */
  async #foundOrFailure<Found>(
    find: (request: CallingRequest, doors: Doors) => Promise<Found>,
    project?: string,
  ): Promise<Found> {
    const { method, headers, runtime } = this.event.req
    try {
      return await find(
        {
          method,
          headers,
          url: this.event.url,
          project,
          address: fullAddress(this.event, this.context.trustProxy),
          node: runtime?.node?.req as IncomingMessage | undefined,
        },
        this.context,
      )
    } catch (error) {
      const isWrongKey = EngineError.is(error) && error.kind === 'unauthenticated'
      throw (isWrongKey && (await this.countFailure())) || error
    }
  }

  async #ofKey(route: KeyRoute, rules: RouteRules): Promise<Reply> {
    const { engine, rateLimit, trustProxy, bodies } = this.context
    const project = route.ofProject ? (this.event.context.params?.id ?? '') : undefined
    const caller = await this.#foundOrFailure(callerOf, project)
    this.#caller = caller
    const address = caller.kind === 'public' ? clientAddress(this.event, trustProxy) : undefined
    const { allowance, refusal } = await rateLimit.count(caller, address)
    this.#allowance = allowance
    if (refusal) throw refusal
    requireAccess(caller, route.access, rules)
    if (this.event.req.headers.has(FAULT_FIELD)) await this.#orderedFault(caller)
    const limit = caller.kind === 'public' ? Math.min(rules.bodyLimit, PUBLIC_BODY) : rules.bodyLimit
    const read = untrusted(route.body && (await readBody(this.event, route.body, limit, bodies)))
    const ifMatch = this.event.req.headers.get('if-match')
    const place = placeOfVersion(route)
    const body = place === 'body' ? withIfMatch(read, ifMatch) : read
    const request = new ApiRequest(caller, partsOf(this.event), body, place === 'query' ? ifMatch : null)
    if (route.countsAs) await this.#countMore(caller, route.countsAs(request) - 1)
    return this.#once(route, rules, caller, request, () => route.handle(engine, request))
  }

  /** The body with the version of `If-Match`, where the endpoint takes one there. */
  #matched(route: Route, body: UntrustedInput): UntrustedInput {
    return placeOfVersion(route) === 'body' ? withIfMatch(body, this.event.req.headers.get('if-match')) : body
  }

  /** Answers as another service does, by calls to our own endpoints with the key of the request. */
  async #ofForeign(route: ForeignRoute, rules: RouteRules): Promise<Reply> {
    const { engine, rateLimit, bodies } = this.context
    const { api, endpoint } = route
    const headers = headersOf(this.event)
    const caller = await this.#foundOrFailure(() => foreignCaller(engine, api, headers))
    this.#caller = caller
    const address = caller.kind === 'public' ? clientAddress(this.event, this.context.trustProxy) : undefined
    const { allowance, refusal } = await rateLimit.count(caller, address)
    this.#allowance = allowance
    if (refusal) throw refusal
    if (caller.kind === 'public') requireAccess(caller, 'secret', rules)
    if (this.event.req.headers.has(FAULT_FIELD)) await this.#orderedFault(caller)
    const body = endpoint.body && (await readForeignBody(this.event, endpoint.body, rules.bodyLimit, bodies))
    const request = new RequestToForeign(this.event, { caller, base: route.base, headers, body, engine })
    const key = this.event.req.headers.get('idempotency-key') ?? undefined
    const { url } = this.event
    const asked = { route, key, url, body: key === undefined ? {} : digestible(body), owner: ownerOf(caller) }
    const call = (operation: string, input: OurInput = {}) =>
      this.#inner(caller, operation, input, input.idempotencyKey ?? (endpoint.keepsKey ? key : undefined))
    return answeredOnce(engine, asked, () => endpoint.answer(request, { call }))
  }

  /** Does what the request of a test orders, before anything else is done. */
  async #orderedFault(caller: Caller): Promise<void> {
    const fault = orderedFault(this.event.req.headers, caller)
    if (fault === '429') {
      const { allowance, refusal } = this.context.rateLimit.ordered()
      this.#allowance = allowance
      throw refusal
    }
    if (fault !== '500') await this.context.waits.wait(fault, caller, this.event)
    if (fault === 'timeout') this.#cut()
    if (fault !== 'slow') throw new OrderedError(`the request orders a fault: ${fault}`)
  }

  /** Calls an endpoint of ours within a request to another service's. Answers its JSON. */
  async #inner(caller: Caller, operation: string, input: OurInput, key: string | undefined): Promise<JsonObject> {
    const { engine, operations } = this.context
    const found = operations.get(operation)
    if (found === undefined) throw new Error(`There is no operation ${operation}.`)
    const { route, rules } = found
    requireAccess(caller, route.access, rules)
    const { path = {}, query = {}, form, body = form ?? {}, meaning, idempotencyKey } = input
    // as they stand in a path: an address may have a percent sign
    const params = Object.fromEntries(Object.entries(path).map(([name, text]) => [name, encodeURIComponent(text)]))
    const parts: RequestParts = { params, query: untrusted(query), idempotencyKey: key, meaning }
    const request = new ApiRequest(caller, parts, untrusted(route.body && body))
    if (route.countsAs) await this.#countMore(caller, route.countsAs(request) - 1)
    const handle = () => route.handle(engine, request)
    const isKept = rules.audit !== 'never' && isAudited(rules.audit, caller)
    const act = () =>
      isKept ? audited(engine, { ...this.#told(route), params }, caller, request.body, handle) : handle()
    const { path: pattern } = route
    const pathname = pattern.includes(':') ? pattern.replaceAll(/:(\w+)/g, (_all, name) => params[name] ?? '') : pattern
    const url = { pathname, search: '' }
    const asked = { route, key: idempotencyKey, url, body: request.body, owner: ownerOf(caller) }
    const reply = await answeredOnce(engine, asked, act)
    // dates become what they are in an answer
    return reply.body === undefined ? {} : JSON.parse(JSON.stringify(reply.body))
  }

  /**
   * Answers a caller once per `Idempotency-Key`, and has the audit log keep it where the route says so; what is answered
   * again goes into no audit log.
   */
  #once(
    route: KeyRoute | UserRoute,
    { audit }: RouteRules,
    by: Caller | User,
    request: ApiRequest | UserRequest,
    handle: () => Promise<Reply>,
  ): Promise<Reply> {
    const { engine } = this.context
    const { req, url } = this.event
    const { body } = request
    const owner = 'kind' in by ? ownerOf(by) : ({ id: by.id, kind: 'member' } as const)
    const key = req.headers.get('idempotency-key') ?? undefined
    return answeredOnce(engine, { route, key, url, body, owner }, async () => {
      const isKept = audit !== 'never' && isAudited(audit, by)
      const acted = isKept ? audited(engine, this.#told(route), by, body, handle) : handle()
      const reply = await acted.catch((error) => {
        throw withUnknownKeys(error, body)
      })
      const ofQuery = url.search === '' ? [] : queryWarnings(route, request, url.searchParams)
      return withWarnings(reply, [...ofQuery, ...warningsOf(body)])
    })
  }

  /** The part of this request that the audit log keeps. */
  #told(route: Route): AuditedRequest {
    const address = clientAddress(this.event, this.context.trustProxy)
    return { route, params: this.event.context.params, requestId: this.#requestId, address }
  }

  /** Counts a request that does the work of several. */
  async #countMore(caller: Caller, points: number): Promise<void> {
    if (points < 1) return
    const { allowance, refusal } = await this.context.rateLimit.countMore(caller, points)
    this.#allowance = allowance
    if (refusal) throw refusal
  }

  async #ofUser(route: UserRoute, rules: RouteRules): Promise<Reply> {
    const { engine, rateLimit, bodies, origins } = this.context
    const user = await this.#foundOrFailure(userOf)
    const { allowance, refusal } = await rateLimit.countUser(user.id)
    this.#allowance = allowance
    if (refusal) throw refusal
    if (isOfHost(user)) {
      if (!route.ofHost) throw noAccount()
      return route.ofHost(engine, user, this.context.hostPages)
    }
    const read = untrusted(route.body && (await readBody(this.event, route.body, rules.bodyLimit, bodies)))
    const body = this.#matched(route, read)
    const request = new UserRequest(
      this.event,
      user,
      body,
      sessionOf({ headers: this.event.req.headers, url: this.event.url }, origins),
    )
    return this.#once(route, rules, user, request, () => route.handle(engine, request))
  }

  /** Called when the answer broke off. The connection is cut, so that no client takes the part sent for the whole. */
  #broke(error: unknown): void {
    this.context.engine.log.error('an answer broke off', { requestId: this.#requestId, error })
  }

  /** Cuts the connection of a reader that takes nothing. */
  #tooSlow(): void {
    this.context.engine.log.debug('a reader of a stream was too slow', { requestId: this.#requestId })
    this.#cut()
  }

  /** Cuts the connection, where there is one of our own. */
  #cut(): void {
    const response = this.event.req.runtime?.node?.res as ServerResponse | undefined
    response?.destroy()
  }

  #note(status: number): void {
    const { req } = this.event
    const took = performance.now() - this.#began
    this.context.metrics?.source.answered({
      method: METHODS.has(req.method) ? req.method : 'other',
      route: this.route?.path ?? UNMATCHED,
      status,
      seconds: took / 1000,
    })
    if (!this.context.log) return
    const ms = Math.round(took * 10) / 10
    const projectId = this.#caller?.project.id
    const path = loggedPath(this.event, this.route, this.context.roots)
    this.context.engine.log[this.route?.quiet ? 'debug' : 'info']('request', {
      method: req.method,
      path,
      status,
      ms,
      requestId: this.#requestId,
      ...(projectId === undefined ? undefined : { projectId }),
    })
  }
}

/** Whose the idempotency keys of a caller are. */
function ownerOf({ project, kind }: Caller) {
  return { id: project.id, kind } as const
}

/** Whether a request comes from a page that may call this endpoint by script. */
export async function isListed(engine: Engine, { path, origins }: OpenRoute, { req, url }: H3Event): Promise<boolean> {
  const origin = req.headers.get('origin')
  if (origins === undefined || origin === null) return false
  const place = path.split('/').findIndex((part) => part.startsWith(':'))
  return isListedOrigin(origin, await origins(engine, url.pathname.split('/')[place] ?? ''))
}
