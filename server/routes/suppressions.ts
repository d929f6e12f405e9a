import { MEGABYTE } from '../body.ts'
import { created, type KeyRoute, noContent, ok } from '../route.ts'
import { listOnWire, suppressionOnWire } from '../wire.ts'

/** Addresses that get no mail. */
export const suppressionRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/suppressions',
    summary: 'List suppressed addresses',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.suppressions.list(caller.project, query), suppressionOnWire))
    },
  },
  {
    method: 'POST',
    path: '/suppressions',
    summary: 'Suppress an address',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(suppressionOnWire(await engine.suppressions.add(caller.project, body)))
    },
  },
  {
    method: 'POST',
    path: '/suppressions/import',
    summary: 'Suppress the addresses of a CSV file',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    answers: [200],
    async handle(engine, { caller, body }) {
      return ok(await engine.suppressions.import(caller.project, body))
    },
  },
  {
    method: 'DELETE',
    path: '/suppressions/:idOrEmail',
    summary: 'Take an address off the list',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.suppressions.remove(request.caller.project, request.param('idOrEmail'))
      return noContent
    },
  },
]
