import { EngineError } from '../../core/errors.ts'
import { UploadImage } from '../../core/uploads/uploads.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { UploadAnswer } from '../answers/uploads.ts'
import { isFresh } from '../http/negotiation.ts'
import { created, noContent, ok, type Route } from '../http/route.ts'

/** The most that a form has around its file. */
const FORM_BYTES = 64 * 1024

/** Images for mails: put here with a key, and seen by everybody who has the address. */
export const uploadRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/uploads',
    operation: 'listUploads',
    summary: 'List uploaded images',
    description: 'Newest first, each with its public address.',
    access: 'secret',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(UploadAnswer.schema) },
    examples: [{ query: { limit: 100 } }],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.uploads.list(caller.project, query), UploadAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/uploads/image',
    operation: 'uploadImage',
    summary: 'Upload an image for mails',
    description: 'Returns its public address. The same bytes always have the same address.',
    access: 'secret',
    body: 'multipart',
    bodyLimit: ({ uploads }) => uploads.maxBytes + FORM_BYTES,
    takes: { body: UploadImage },
    gives: { 201: UploadAnswer.schema },
    async handle(engine, { caller, body }) {
      return created(UploadAnswer.of(await engine.uploads.add(caller.project, body)))
    },
  },
  {
    method: 'DELETE',
    path: '/uploads/:id',
    operation: 'deleteUpload',
    summary: 'Delete an uploaded image',
    description: 'From now on its address returns 404, also in mails that were sent with it.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.uploads.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/uploads/:projectId/:file',
    operation: 'getUpload',
    summary: 'Get an uploaded image',
    description: 'The content of an address never changes, so it may be cached forever.',
    access: 'open',
    quiet: true,
    gives: { 200: '*/*', 304: null },
    async handle({ uploads }, request) {
      const upload = await uploads.find(request.param('projectId'), request.param('file'))
      if (!upload) throw noImage()
      const etag = `"${upload.hash}"`
      // the bytes may mean something else to a browser that guesses or runs them: it is told not to
      const headers = {
        etag,
        'content-type': upload.contentType,
        'content-disposition': 'inline',
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
      }
      if (isFresh(request.header('if-none-match'), etag)) return { status: 304, headers }
      const length = { 'content-length': String(upload.size) }
      if (request.method === 'HEAD') return { status: 200, headers: { ...headers, ...length } }
      const found = await uploads.bytes(upload)
      if (!found) throw noImage()
      return { status: 200, raw: found.bytes, headers: { ...headers, ...length } }
    },
  },
]

function noImage(): EngineError {
  return new EngineError('RESOURCE_NOT_FOUND', 'There is no such image.')
}
