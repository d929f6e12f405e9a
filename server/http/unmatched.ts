import type { H3Event, HTTPResponse } from 'h3'
import { EngineError } from '../../core/errors.ts'
import { type AppContext, Exchange, isListed } from './exchange.ts'
import { ownBase } from './foreign.ts'
import { listedAt } from './foreign-routes.ts'
import { requirePlainRequest } from './request-head.ts'
import type { AnyEndpoint, ForeignRoute, OpenRoute } from './route.ts'

/** Answers what no route handles: OPTIONS, a known path with another method (405), an unknown path (404). */
export function unmatched(
  context: AppContext,
  routes: readonly AnyEndpoint[],
  foreign: readonly ForeignRoute[],
): (event: H3Event) => Promise<HTTPResponse> {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route.path) }))
  return async (event) => {
    requirePlainRequest(event.req)
    const { pathname } = event.url
    const here = patterns.filter(({ pattern }) => pattern.test(pathname)).map(({ route }) => route)
    const other = foreign.find(({ base }) => pathname.startsWith(`${base}/`))
    const exchange = new Exchange(context, event, here[0] ?? other)
    if (here.length === 0 && other) {
      return exchange.refuse((await exchange.countFailure()) ?? notHere(context, other, event))
    }
    if (here.length === 0) {
      const suggestion = 'Check the path; docs/endpoints.md of Mailwright lists every endpoint.'
      const unknown = new EngineError('RESOURCE_NOT_FOUND', 'There is nothing at this path.', { suggestion })
      return exchange.refuse((await exchange.countFailure()) ?? unknown)
    }
    const allow = [
      ...new Set(here.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method]))),
      'OPTIONS',
    ]
    const methods = allow.join(', ')
    if (event.req.method === 'OPTIONS') {
      const origin = event.req.headers.get('origin')
      const listing = here.find((route): route is OpenRoute => route.access === 'open' && route.origins !== undefined)
      const anyOrigin =
        here.some(({ access }) => access === 'public') ||
        (listing !== undefined && (await isListed(context.engine, listing, event)))
      return exchange.reply({
        status: 204,
        headers: { allow: methods, ...context.cors.preflight(origin, anyOrigin, methods) },
      })
    }
    const words = other ? `${named(other, event)} is not here` : `${event.req.method} is not possible here`
    const message = `${words}; use ${methods}.${other ? ` ${listedAt(ownBase(context.engine, event.url) + other.base)}` : ''}`
    return exchange.refuse(new EngineError('METHOD_NOT_ALLOWED', message), { allow: methods })
  }
}

function notHere({ engine }: AppContext, route: ForeignRoute, event: H3Event): EngineError {
  const suggestion = listedAt(ownBase(engine, event.url) + route.base)
  return new EngineError('RESOURCE_NOT_FOUND', `${named(route, event)} is not here.`, { suggestion })
}

/** A request as the service's own documentation calls it. */
function named({ api, base }: ForeignRoute, { req, url }: H3Event): string {
  return `${req.method} ${url.pathname.slice(base.length).slice(0, 200)} of ${api.service}`
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('/**', '(?:/.*)?')}/?$`)
}
