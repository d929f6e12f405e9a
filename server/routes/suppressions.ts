import { AddSuppression, SuppressionQuery } from '../../core/suppressions/suppression.ts'
import { ImportBody } from '../../core/suppressions/suppressions.ts'
import { AcceptedJob, shownJob } from '../answers/contact-jobs.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { ImportedSuppressions, SuppressionAnswer, SuppressionJob } from '../answers/suppressions.ts'
import { MEGABYTE } from '../http/body.ts'
import { accepted, created, type KeyRoute, noContent, ok } from '../http/route.ts'

/** Addresses that get no mail. */
export const suppressionRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/suppressions',
    operation: 'listSuppressions',
    summary: 'List suppressed addresses',
    description: 'Newest first. No mail goes to these addresses.',
    access: 'secret',
    takes: { query: SuppressionQuery },
    gives: { 200: cursorList(SuppressionAnswer.schema) },
    examples: [{ query: { limit: 100, reason: 'BOUNCE' } }],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.suppressions.list(caller.project, query), SuppressionAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/suppressions',
    operation: 'addSuppression',
    audit: 'people',
    summary: 'Suppress an address',
    description:
      'From now on it gets no mail of any kind. An address that is already listed gets the new reason, detail and expiry.',
    access: 'secret',
    body: 'json',
    takes: { body: AddSuppression },
    gives: { 201: SuppressionAnswer.schema },
    examples: [{ body: { email: 'gone@example.org', detail: 'asked by phone' } }],
    async handle(engine, { caller, body }) {
      return created(SuppressionAnswer.of(await engine.suppressions.add(caller.project, body)))
    },
  },
  {
    method: 'POST',
    path: '/suppressions/import',
    operation: 'importSuppressions',
    summary: 'Suppress the addresses of a CSV file',
    description:
      'Up to 5,000 are stored before the response. More are stored in the background, and the response is 202 with a `jobId`.',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    takes: { body: ImportBody },
    gives: { 200: ImportedSuppressions, 202: AcceptedJob },
    examples: [{ body: { file: 'email,reason\ngone@example.org,BOUNCE\n' } }],
    async handle(engine, { caller, body }) {
      const answer = await engine.suppressions.import(caller.project, body)
      return 'jobId' in answer ? accepted(answer) : ok(answer)
    },
  },
  {
    method: 'GET',
    path: '/suppressions/import/:jobId',
    operation: 'getSuppressionImport',
    summary: 'Get the progress of a suppression import',
    description: 'Shows how many rows were imported, and which were refused and why.',
    access: 'secret',
    gives: { 200: SuppressionJob },
    async handle(engine, request) {
      return ok(shownJob(await engine.suppressions.job(request.caller.project, request.param('jobId'))))
    },
  },
  {
    method: 'DELETE',
    path: '/suppressions/:idOrEmail',
    area: 'release',
    operation: 'removeSuppression',
    summary: 'Remove an address from the suppression list',
    description: "It gets mail again. Its contact's subscription is not changed.",
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.suppressions.remove(request.caller.project, request.param('idOrEmail'))
      return noContent
    },
  },
]
