import { createHash, timingSafeEqual } from 'node:crypto'
import type { H3Event } from 'h3'
import type { Session } from '../../core/accounts/sessions.ts'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { type UntrustedInput, untrusted } from '../../core/values/input.ts'
import { isStorableText } from '../../core/values/json.ts'
import type { MetricsAccess, ServerMetrics } from '../metrics/server-metrics.ts'
import type { OAuthProviders } from '../oauth/oauth-providers.ts'
import { acceptedLanguages } from '../pages/languages.ts'
import { readBytes } from './body.ts'
import { clientAddress } from './client-address.ts'
import { readCookie, setCookie } from './cookies.ts'
import { parseForm } from './multipart.ts'
import { isSecure, noSessionCookie, sessionCookie } from './session-cookie.ts'

/** The largest form of a page, in bytes. */
const MAX_FORM_BYTES = 64 * 1024

/** What requests of an app share. */
interface PublicContext {
  readonly trustProxy: boolean
  readonly operatorKey?: string | undefined
  readonly metrics?: MetricsAccess | undefined
  readonly engine: Pick<Engine, 'publicUrl'>
  readonly providers: OAuthProviders
  readonly dashboard: string | false
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
    const raw = this.event.context.params?.[name] ?? ''
    return isStorableText(raw) ? raw : ''
  }

  /** What of the path is below this one, not decoded; undefined when that is the whole path. */
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

  /** Whether the browser uses https, so that cookies are sent only there. */
  get isSecure(): boolean {
    return isSecure(this.context.engine.publicUrl, this.event.url)
  }

  /** The path of the dashboard; false: there is none. */
  get dashboard(): string | false {
    return this.context.dashboard
  }

  /** The providers people can log in with. */
  get providers(): OAuthProviders {
    return this.context.providers
  }

  /** A cookie of ours, by its name without prefix. */
  cookie(name: string): string | undefined {
    return readCookie(this.header('cookie'), name, this.isSecure)
  }

  /** The field that sets a cookie of ours. */
  setCookie(name: string, value: string, maxAge: number): string {
    return setCookie({ name, value, secure: this.isSecure, maxAge })
  }

  /** The cookie of a new session. */
  sessionCookie(session: Session, now: Date): string {
    return sessionCookie(session, now, this.isSecure)
  }

  /** Removes the cookie of the session. */
  get noSessionCookie(): string {
    return noSessionCookie(this.isSecure)
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
