import { isIP } from 'node:net'
import { getRequestIP, type H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'
import { countedAddress } from '../../core/values/counted-address.ts'
import type { NewId } from '../../core/values/id.ts'

const GIVEN_ID = /^[\x20-\x7e]{1,128}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Instead of a path without a route. */
export const UNMATCHED = '(unmatched)'

/** A route, as far as its path is concerned. */
interface RoutePath {
  readonly access: string
  readonly path: string
}

/**
 * Refuses a request with several `Host` fields (RFC 9112, section 3.2), since a proxy in front may have used another of
 * them, and one whose target is neither a path nor a URL, which would pass for one of `/`. Throws EngineError
 * `BAD_REQUEST`.
 */
export function requirePlainRequest({ runtime }: H3Event['req']): void {
  const request = runtime?.node?.req
  // Only the raw fields show both: Node keeps the first, and web Headers join them
  const raw = request?.rawHeaders ?? []
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === 4 && raw[i]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) throw new EngineError('BAD_REQUEST', 'The request has several Host fields; it must have one.')
  const target = request?.url ?? '/'
  if (!target.startsWith('/') && target !== '*' && !URL.canParse(target)) {
    throw new EngineError(
      'BAD_REQUEST',
      'The target of the request is neither a path nor a URL; send a path such as /health.',
    )
  }
}

/**
 * A request's id: the caller's own `X-Request-Id` when it is 1 to 128 printable ASCII characters, or else a new one.
 */
export function requestIdOf(given: string | null, newId: NewId): string {
  return given !== null && GIVEN_ID.test(given) ? given : newId()
}

/**
 * The client's address in a form to count by: of an IPv6 address its /64 network, since one client has all of that.
 * Behind a trusted proxy, it is the last entry of `X-Forwarded-For`, the only one the client cannot make up; h3's
 * `getRequestIP` would read the first. Undefined when the runtime does not give it.
 */
export function clientAddress(event: H3Event, trustProxy: boolean): string | undefined {
  const address = fullAddress(event, trustProxy)
  return address === undefined ? undefined : countedAddress(address)
}

/** The same as it is, whole. */
export function fullAddress(event: H3Event, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? event.req.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  return forwarded && isIP(forwarded) ? forwarded : getRequestIP(event)
}

/**
 * The path for the log: the route's pattern, with the ids of records filled in. Anything else in a path may be an
 * address or a token, and a token is a permission. A path without a route may be a mistyped one of these, so only its
 * first part is logged, if that is one of ours.
 */
export function loggedPath(
  { url, context }: H3Event,
  route: RoutePath | undefined,
  roots: ReadonlySet<string>,
): string {
  if (route === undefined) {
    const root = url.pathname.split('/', 2)[1] ?? ''
    return roots.has(root) ? `/${root}/${UNMATCHED}` : UNMATCHED
  }
  if (route.access === 'open' || !route.path.includes(':')) return route.path
  return route.path.replace(/:(\w+)/g, (place, name: string) => {
    const value = context.params?.[name]
    return value !== undefined && UUID.test(value) ? value : place
  })
}

/** The first parts of these routes' paths. */
export function rootsOf(routes: readonly RoutePath[]): ReadonlySet<string> {
  return new Set(routes.map(({ path }) => path.split('/', 2)[1] ?? '').filter((root) => root !== ''))
}
