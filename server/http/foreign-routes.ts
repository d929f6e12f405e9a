import { EngineError } from '../../core/errors.ts'
import type { AbsentEndpoint, ForeignApi, ForeignEndpoint, NamedForeignApi } from '../../core/ports/foreign-api.ts'
import type { ForeignRoute } from './route.ts'

/** The routes of another API at this path: those that work here, and an answer to everything else below it. */
export function foreignRoutes(base: string, api: ForeignApi): readonly ForeignRoute[] {
  const endpoints = [...api.endpoints, ...api.absent.map((each) => absent(api, each))]
  return endpoints.map((endpoint) => routeOf(base, api, endpoint))
}

/** For requests that nothing in the API names: its errors are those of the service. */
export function unknownRoute({ name, api }: NamedForeignApi): ForeignRoute {
  return routeOf(pathOf(name), api, absent(api, { method: 'GET', path: '/**', methods: [], reason: '' }))
}

/** Where the API of another service stands. */
export function pathOf(name: string): string {
  return `/compat/${name}`
}

/** A link of the documentation, in which reasons stand, too: its page is enough for a client. */
export const LINK = /\[[^\]()]*\]\(([\w-]+\.md)(?:#[\w-]*)?\)/g

/** Where what works is listed, of the API at this address. */
export function listedAt(url: string): string {
  return `${url} lists what works.`
}

function routeOf(base: string, api: ForeignApi, endpoint: ForeignEndpoint): ForeignRoute {
  const { method, path, keepsKey, secretAnswer } = endpoint
  return {
    access: 'foreign',
    api,
    endpoint,
    base,
    method,
    path: base + path,
    operation: `${api.service} ${method} ${path}`,
    summary: `${api.service}: ${endpoint.methods.join(', ')}`,
    description: endpoint.difference ?? '',
    gives: {},
    audit: 'never',
    ...(keepsKey ? { idempotent: 'room' } : {}),
    ...(secretAnswer ? { secretAnswer } : {}),
  }
}

/** An endpoint that says that it is not here. */
function absent({ service }: ForeignApi, given: AbsentEndpoint): ForeignEndpoint {
  const { method, path, methods, reason } = given
  return {
    method,
    path,
    methods,
    async answer({ url }) {
      const message = `${method} ${path} of ${service} is not here: ${reason.replace(LINK, 'docs/$1')}.`
      throw new EngineError('RESOURCE_NOT_FOUND', message, { suggestion: listedAt(url) })
    },
  }
}
