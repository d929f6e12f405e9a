import * as v from 'valibot'
import { etagOf, isFresh } from '../http/negotiation.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply, Route } from '../http/route.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts'

/** The documents by the address in them, each with its text. There are as many as engines with different settings. */
const MADE = new Map<string | undefined, Readonly<{ document: OpenApiDocument; text: string; etag: string }>>()

/** The OpenAPI document of `routes`, which are asked for when it is first read: it describes itself, too. */
export function documentationRoutes(routes: () => readonly Route[]): readonly OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      operation: 'getOpenApiDocument',
      summary: 'Get the OpenAPI document of this API',
      description: 'Generated from the schemas that read the requests, so it always matches this server.',
      access: 'open',
      quiet: true,
      gives: { 200: OpenApi, 304: null },
      async handle({ publicUrl }, request) {
        const { text, etag } = made(routes, publicUrl)
        return cached(request, etag, { type: 'application/json; charset=utf-8', raw: text })
      },
    },
  ]
}

const OpenApi = v.looseObject({ openapi: v.literal('3.1.0') })

/** The document of the routes of an engine at this address, made when it is first asked for. */
export function made(routes: () => readonly Route[], publicUrl: string | undefined) {
  const known = MADE.get(publicUrl)
  if (known) return known
  const document = openApiDocument(routes(), publicUrl)
  const text = JSON.stringify(document)
  const fresh = { document, text, etag: etagOf(text) }
  MADE.set(publicUrl, fresh)
  return fresh
}

/** The answer, or 304 when the reader has it already (RFC 9110, section 13.1.2). */
function cached(
  request: PublicRequest,
  etag: string,
  { type, raw }: { readonly type: string; readonly raw: string },
): Reply {
  const headers = { etag, 'cache-control': 'no-cache', 'access-control-allow-origin': '*' }
  if (isFresh(request.header('if-none-match'), etag)) return { status: 304, headers }
  return { status: 200, raw, headers: { ...headers, 'content-type': type } }
}
