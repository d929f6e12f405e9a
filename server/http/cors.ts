const EXPOSED =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotent-Replayed, Mailwright-Warning'
const SENDABLE = 'Authorization, Content-Type, Idempotency-Key, X-Project-Id, X-Request-Id'
const DAY_SECONDS = '86400'

type Headers = Readonly<Record<string, string>>

/**
 * Which web pages may call the API (the CORS protocol of the Fetch standard, section 3.2). h3's `handleCors` sends the
 * methods and the permission for cookies to origins that it refuses, too, and its `Vary` replaces that of the answer.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>
  readonly #public: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED }
  readonly #refused: Headers

  constructor(origins: ReadonlySet<string>) {
    this.#origins = origins
    this.#refused = origins.size > 0 ? { vary: 'Origin' } : {}
  }

  /** The header fields of any answer. `anyOrigin`: the endpoint is meant for web pages. */
  headers(origin: string | null, anyOrigin: boolean): Headers {
    if (anyOrigin) return this.#public
    if (origin === null || !this.#origins.has(origin)) return this.#refused
    return {
      'access-control-allow-origin': origin,
      // the session of who is logged in; the cookie itself is for the same site alone
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    }
  }

  /** The additional fields of a preflight's answer, for an endpoint with these methods. */
  preflight(origin: string | null, anyOrigin: boolean, methods: string): Headers {
    const headers = this.headers(origin, anyOrigin)
    if (!('access-control-allow-origin' in headers)) return headers
    return {
      ...headers,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': SENDABLE,
      'access-control-max-age': DAY_SECONDS,
    }
  }
}
