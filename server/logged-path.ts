import type { H3Event } from 'h3'
import type { Route } from './route.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const UNMATCHED = '(unmatched)'

/**
 * The path as it may stand in the log: the route's own, with the ids of records filled in. Whatever else stands in a path
 * may be an address or a token, which is a permission; and what no route takes may be a slip of either, so of that only a
 * first part is told that is ours.
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
  return new Set(routes.map(({ path }) => path.split('/', 2)[1] ?? ''))
}
