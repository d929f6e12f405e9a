import type { H3Event } from 'h3'
import type { Route } from './route.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** In place of a path without a route. */
export const UNMATCHED = '(unmatched)'

/**
 * The path for the log: the route's pattern, with the ids of records filled in. Anything else in a path may be an
 * address or a token, and a token is a permission. A path without a route may be a mistyped one of these, so only its
 * first part is logged, if that is one of ours.
 */
export function loggedPath({ url, context }: H3Event, route: Route | undefined, roots: ReadonlySet<string>): string {
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
export function rootsOf(routes: readonly Route[]): ReadonlySet<string> {
  return new Set(routes.map(({ path }) => path.split('/', 2)[1] ?? '').filter((root) => root !== ''))
}
