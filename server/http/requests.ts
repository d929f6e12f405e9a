import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { getRouterParam, type H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { type UntrustedInput, untrusted } from '../../core/values/input.ts'
import { isStorableText, type Json } from '../../core/values/json.ts'
import type { MetricsAccess, ServerMetrics } from '../metrics/server-metrics.ts'
import type { OAuthProviders } from '../oauth/oauth-providers.ts'
import { parseForm, readBytes } from './body.ts'
import { browserToken, isSecure, readCookie, sessionToken } from './cookies.ts'
import type { HostPages } from './host-login.ts'
import { withIfMatch } from './if-match.ts'
import { acceptedLanguages, wantsJson } from './negotiation.ts'
import { clientAddress, fullAddress } from './request-head.ts'
import type { OwnUrls } from './same-origin.ts'

/** The largest form of a page, in bytes. */
const MAX_FORM_BYTES = 64 * 1024

/** The parts of a caller's request beside its caller and its body. */
export interface RequestParts {
  /** The parameters of its path by their names, as they stand there. */
  readonly params: Readonly<Record<string, string>> | undefined
  /** The query as strings; of a repeated name, the last one counts. */
  readonly query: UntrustedInput
  /** The `Idempotency-Key`, unchecked. */
  readonly idempotencyKey: string | undefined
  /** The input that a repeat is compared by, where that is not the body. */
  readonly meaning?: Json | undefined
  /** The header fields, where the request has some of its own. */
  readonly headers?: Headers | undefined
  /** A signal for when its client has gone, where it came by a connection of its own. */
  readonly gone?: () => AbortSignal
}

/** The parts of a request as it came. */
export function partsOf(event: H3Event): RequestParts {
  const { context, url, req } = event
  const idempotencyKey = req.headers.get('idempotency-key') ?? undefined
  return { params: context.params, query: queryOf(url), idempotencyKey, headers: req.headers, gone: () => gone(event) }
}

/** A signal that is aborted when the client has gone, or has its answer. */
export function gone({ req }: H3Event): AbortSignal {
  const response = req.runtime?.node?.res as ServerResponse | undefined
  if (response === undefined) return req.signal
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  return AbortSignal.any([req.signal, closed.signal])
}

/** A request of a caller, as routes see it. */
export class ApiRequest {
  /** The query as strings; of a repeated name, the last one counts. */
  readonly query: UntrustedInput
  /** The `Idempotency-Key`, unchecked. */
  readonly idempotencyKey: string | undefined
  /** The input that a repeat is compared by, where that is not the body. */
  readonly meaning: Json | undefined
  readonly #params: RequestParts['params']
  readonly #headers: RequestParts['headers']
  readonly #gone: RequestParts['gone']

  constructor(
    readonly caller: Caller,
    { params, query, idempotencyKey, meaning, headers, gone }: RequestParts,
    /** The JSON body, or a form's parts by name; undefined when the route reads none. */
    readonly body: UntrustedInput,
    /** The `If-Match` of a route without a body. */
    ifMatch: string | null = null,
  ) {
    this.#params = params
    this.#headers = headers
    this.#gone = gone
    this.query = withIfMatch(query, ifMatch)
    this.idempotencyKey = idempotencyKey
    this.meaning = meaning
  }

  /** The languages the browser asks for, best first. */
  get languages(): readonly string[] {
    return acceptedLanguages(this.header('accept-language'))
  }

  /** A signal that is aborted when the client has gone; undefined for a request within another. */
  gone(): AbortSignal | undefined {
    return this.#gone?.()
  }

  /** A header field; undefined when there is none. */
  header(name: string): string | undefined {
    return this.#headers?.get(name) ?? undefined
  }

  /**
   * A path parameter, decoded. Empty when it cannot be decoded or stored, since nothing has an empty name. (h3 decodes
   * parameters, too, but leaves a slash as `%2F`, and an address may have one.)
   */
  param(name: string): string {
    return decoded(this.#params?.[name] ?? '')
  }
}

/** A parameter of a path, decoded; empty when it cannot be. */
export function decoded(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    const text = decodeURIComponent(raw)
    return isStorableText(text) ? text : ''
  } catch {
    return ''
  }
}

/** A request of a user who is logged in, for no project in particular. */
export class UserRequest {
  /** The query as strings; of a repeated name, the last one counts. */
  readonly query: UntrustedInput

  constructor(
    private readonly event: H3Event,
    readonly user: User,
    /** The JSON body; undefined when the route reads none. */
    readonly body: UntrustedInput,
    /** The token of the session; absent for who is logged in at the app around this one. */
    readonly session?: string | undefined,
  ) {
    this.query = queryOf(event.url)
  }

  /** A parameter of the path. */
  param(name: string): string {
    return getRouterParam(this.event, name) ?? ''
  }
}

/** h3's `getQuery` makes a list of a repeated name, where a schema wants one text. */
function queryOf(url: URL): UntrustedInput {
  return untrusted(url.search === '' ? {} : Object.fromEntries(url.searchParams))
}

/** The parts that requests of an app share. */
interface PublicContext {
  readonly trustProxy: boolean
  readonly operatorKey?: string | undefined
  readonly metrics?: MetricsAccess | undefined
  readonly origins: OwnUrls
  readonly providers: OAuthProviders
  readonly dashboard: string | false
  readonly hostPages: HostPages
}

/** A request without an API key: from a browser, a mail client, a scanner. Nothing in it is checked. */
export class PublicRequest {
  constructor(
    private readonly event: H3Event,
    private readonly context: PublicContext,
    /** The JSON body; undefined when the route reads none. */
    readonly body: UntrustedInput = untrusted(undefined),
  ) {}

  /** `GET`, `HEAD`, `POST` … */
  get method(): string {
    return this.event.req.method
  }

  /** A path parameter, not decoded. */
  param(name: string): string {
    const raw = getRouterParam(this.event, name) ?? ''
    return isStorableText(raw) ? raw : ''
  }

  /** The rest of the path below this one, not decoded; undefined when that is the whole path. */
  pathBelow(path: string): string | undefined {
    const { pathname } = this.event.url
    return pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : undefined
  }

  /** A header field; undefined when there is none. */
  header(name: string): string | undefined {
    return this.event.req.headers.get(name) ?? undefined
  }

  /** All header fields, by name in lower case. */
  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.event.req.headers)
  }

  get query(): URLSearchParams {
    return this.event.url.searchParams
  }

  /** The raw body. Throws EngineError `PAYLOAD_TOO_LARGE`, `BAD_REQUEST` for a body that ends early. */
  bytes(limit: number): Promise<Uint8Array> {
    return readBytes(this.event.req, limit)
  }

  /**
   * Makes sure that the operator asks. Throws EngineError `RESOURCE_NOT_FOUND` where no operator's key is set,
   * `MISSING_AUTH` and `INVALID_API_KEY`.
   */
  requireOperator(): void {
    this.#requireKey(this.context.operatorKey, 'operator.key of the configuration, or OPERATOR_KEY')
  }

  /** Makes sure that the monitoring system asks. Answers its metrics, and throws as `requireOperator` does. */
  requireMetrics(): ServerMetrics {
    const { metrics } = this.context
    this.#requireKey(metrics?.key, 'metrics.key of the configuration, or METRICS_KEY')
    return metrics.source
  }

  #requireKey(wanted: string | undefined, name: string): asserts wanted is string {
    if (wanted === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is nothing at this path.')
    const given = /^Bearer +(\S+)$/i.exec(this.header('authorization') ?? '')?.[1]
    const suggestion = `Send it as "Authorization: Bearer …"; it is ${name}.`
    if (given === undefined) throw new EngineError('MISSING_AUTH', 'The request has no key.', { suggestion })
    // equal in length, whatever was given
    const [mine, theirs] = [wanted, given].map((key) => createHash('sha256').update(key).digest())
    if (mine === undefined || theirs === undefined || !timingSafeEqual(mine, theirs))
      throw new EngineError('INVALID_API_KEY', 'This is not the key of this endpoint.', { suggestion })
  }

  /** The client's address. */
  get address(): string | undefined {
    return clientAddress(this.event, this.context.trustProxy)
  }

  /** The origin by which it came. */
  get origin(): string {
    return this.event.url.origin
  }

  /** The token that the browser kept from an earlier login. */
  get browser(): string | undefined {
    return browserToken(this.event.req.headers, isSecure(this.context.origins, this.event.url))
  }

  /** The token of the session in the cookies, unchecked. */
  get session(): string | undefined {
    return sessionToken(this.event.req.headers, isSecure(this.context.origins, this.event.url))
  }

  /** The client's whole address, for what keeps it as proof; to count by, use `address`. */
  get fullAddress(): string | undefined {
    return fullAddress(this.event, this.context.trustProxy)
  }

  /** Whether a script asks, which wants JSON. */
  get wantsJson(): boolean {
    return wantsJson(this.event.req.headers)
  }

  /** The path of the dashboard; false: there is none. */
  get dashboard(): string | false {
    return this.context.dashboard
  }

  /** Where the app around this one logs people in and out. */
  get hostPages(): HostPages {
    return this.context.hostPages
  }

  /** The providers people can log in with. */
  get providers(): OAuthProviders {
    return this.context.providers
  }

  /** A cookie of ours, by its name without prefix. */
  cookie(name: string): string | undefined {
    const { req, url } = this.event
    return readCookie(req.headers, name, isSecure(this.context.origins, url))
  }

  /** The languages the browser asks for, best first. */
  get languages(): readonly string[] {
    return acceptedLanguages(this.header('accept-language'))
  }

  /**
   * The text fields of a form, `application/x-www-form-urlencoded` or `multipart/form-data`; none for any other body or
   * an invalid form. Throws EngineError `PAYLOAD_TOO_LARGE`, `BAD_REQUEST` for a body that ends early.
   */
  async form(): Promise<URLSearchParams> {
    const type = this.header('content-type') ?? ''
    const bytes = await readBytes(this.event.req, MAX_FORM_BYTES)
    const essence = type.split(';', 1)[0]?.trim().toLowerCase()
    if (essence === 'application/x-www-form-urlencoded') return new URLSearchParams(bytes.toString('utf8'))
    if (essence !== 'multipart/form-data') return new URLSearchParams()
    const parts = await parseForm(bytes, type).catch(() => [])
    return new URLSearchParams(
      parts.flatMap(({ name, value }): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
    )
  }
}
