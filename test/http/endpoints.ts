import { ROUTES } from '../../server/app.ts'
import type { KeyRoute } from '../../server/http/route.ts'
import { pathParameters } from '../../server/openapi/path-parameters.ts'
import { PROJECT } from '../support/app.ts'

/** An id that nothing has. */
export const ID = '01900000-0000-7000-8000-000000000000'

const KEYED = ROUTES.filter((route): route is KeyRoute => route.access === 'secret' || route.access === 'public')

/** Every endpoint for callers with a key, of the route table, with a path that matches it. */
export const ENDPOINTS = KEYED.map((route) => [route.method, pathOf(route), route] as const)

/** Those that read a JSON body. */
export const WITH_BODY = ENDPOINTS.filter(([, , { body }]) => body === 'json')

/** The path with an id that nothing has, but for the project, which is the caller's own. */
function pathOf({ path, ofProject }: KeyRoute): string {
  return pathParameters(path).reduce((filled, { name, example }) => {
    const isProject = name === 'projectId' || (ofProject && name === 'id')
    const value = isProject ? PROJECT : /^[0-9a-f]{8}-/.test(example) ? ID : example
    return filled.replace(`:${name}`, value)
  }, path)
}
