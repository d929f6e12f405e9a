import { AddSuppression } from '../../core/suppressions/suppression.ts'
import { ImportBody } from '../../core/suppressions/suppressions.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { MEGABYTE } from '../body.ts'
import { created, type KeyRoute, noContent, ok } from '../route.ts'
import { cursorList } from '../schemas/parts.ts'
import { ImportedSuppressions, SuppressionRecord } from '../schemas/suppressions.ts'
import { listOnWire, suppressionOnWire } from '../wire.ts'

/** Addresses that get no mail. */
export const suppressionRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/suppressions',
    operation: 'listSuppressions',
    summary: 'List suppressed addresses',
    access: 'secret',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(SuppressionRecord) },
    examples: [{ query: { limit: 100 } }],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.suppressions.list(caller.project, query), suppressionOnWire))
    },
  },
  {
    method: 'POST',
    path: '/suppressions',
    operation: 'addSuppression',
    audit: 'people',
    summary: 'Suppress an address',
    access: 'secret',
    body: 'json',
    takes: { body: AddSuppression },
    gives: { 201: SuppressionRecord },
    examples: [{ body: { email: 'gone@example.org', detail: 'asked by phone' } }],
    async handle(engine, { caller, body }) {
      return created(suppressionOnWire(await engine.suppressions.add(caller.project, body)))
    },
  },
  {
    method: 'POST',
    path: '/suppressions/import',
    operation: 'importSuppressions',
    summary: 'Suppress the addresses of a CSV file',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    takes: { body: ImportBody },
    gives: { 200: ImportedSuppressions },
    examples: [{ body: { file: 'email,reason\ngone@example.org,BOUNCE\n' } }],
    async handle(engine, { caller, body }) {
      return ok(await engine.suppressions.import(caller.project, body))
    },
  },
  {
    method: 'DELETE',
    path: '/suppressions/:idOrEmail',
    operation: 'removeSuppression',
    summary: 'Take an address off the list',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.suppressions.remove(request.caller.project, request.param('idOrEmail'))
      return noContent
    },
  },
]
