import type { NamedForeignApi } from '../../core/ports/foreign-api.ts'
import { ownBase } from './foreign.ts'
import { LINK, pathOf } from './foreign-routes.ts'
import type { OpenRoute } from './route.ts'

/** The endpoints of another service's API and what each does here, as text: errors of those that are not here lead to it. */
export function foreignList({ name, api }: NamedForeignApi): OpenRoute {
  const { service, endpoints, absent } = api
  const line = (method: string, path: string, methods: readonly string[], words: string) =>
    `${method} ${path}${methods.length > 0 ? ` (${methods.join(', ')})` : ''}\n    ${words.replace(LINK, 'docs/$1')}\n`
  const lines = [
    ...endpoints.map(({ method, path, methods, difference }) =>
      line(method, path, methods, difference ? `works; ${difference}` : 'works'),
    ),
    ...absent.map(({ method, path, methods, reason }) => line(method, path, methods, `not here: ${reason}`)),
  ]
  return {
    access: 'open',
    method: 'GET',
    path: pathOf(name),
    operation: `list${service.replaceAll(/\W/g, '')}Endpoints`,
    summary: `List what works of ${service}'s API`,
    description: 'For people whose client asked for something that is not here.',
    gives: { 200: 'text/plain' },
    async handle(engine, { origin }) {
      const place = `${ownBase(engine, { origin })}${pathOf(name)}`
      const head = `${service}'s API at ${place}: the address for clients of ${service}, and what of it works here.\n`
      return {
        status: 200,
        raw: `${head}\n${lines.join('')}`,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      }
    },
  }
}
