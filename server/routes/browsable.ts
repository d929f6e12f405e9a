import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import * as v from 'valibot'
import { etagOf, isFresh } from '../http/negotiation.ts'
import type { OpenRoute } from '../http/route.ts'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Mailwright: the HTTP API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', deepLinking: true, docExpansion: 'none', validatorUrl: null })
`

/** Everything comes from this server, and nothing but styles is written inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const Root = v.object({ name: v.string(), documentation: v.string(), openapi: v.string(), health: v.string() })

/** People who open the server's address are led to the dashboard, or else to the page of the interface; programs are answered where things are. */
export const rootRoute: OpenRoute = {
  method: 'GET',
  path: '/',
  operation: 'getRoot',
  summary: 'Get an overview of the addresses',
  description: 'Browsers are redirected to the dashboard.',
  access: 'open',
  quiet: true,
  gives: { 200: Root, 302: null },
  async handle(_engine, request) {
    const headers = { vary: 'Accept' }
    const way = request.dashboard === false ? 'docs' : `${request.dashboard.slice(1)}/`
    if (request.header('accept')?.includes('text/html')) return { status: 302, headers: { ...headers, location: way } }
    return {
      status: 200,
      body: { name: 'Mailwright', documentation: 'docs', openapi: 'openapi.json', health: 'health' },
      headers,
    }
  },
}

/** A page to browse the OpenAPI document with and to try requests: Swagger UI, from this server alone. */
export const browsableRoutes: readonly OpenRoute[] = [
  file('/docs', 'getDocs', 'Browse this API', 'text/html', async () => Buffer.from(PAGE)),
  file('/docs/start.js', 'getDocsStart', 'Get the script that starts the page', 'text/javascript', async () =>
    Buffer.from(START),
  ),
  file('/docs/swagger-ui.css', 'getDocsStyle', 'Get the style sheet of the page', 'text/css', () =>
    packaged('swagger-ui.css', new URL('../swagger-ui/swagger-ui.css.gz', import.meta.url)),
  ),
  file('/docs/swagger-ui-bundle.js', 'getDocsScript', 'Get the code of the page', 'text/javascript', () =>
    packaged('swagger-ui-bundle.js', new URL('../swagger-ui/swagger-ui-bundle.js.gz', import.meta.url)),
  ),
]

function file(path: string, operation: string, summary: string, type: string, read: () => Promise<Buffer>): OpenRoute {
  let made: Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly etag: string }> | undefined
  return {
    method: 'GET',
    path,
    operation,
    summary,
    description: 'Swagger UI, served by this server alone. You can try requests there.',
    access: 'open',
    quiet: true,
    gives: { 200: type, 304: null },
    async handle(_engine, request) {
      made ??= versioned(read)
      const { bytes, etag } = await made.catch((error: unknown) => {
        made = undefined
        throw error
      })
      const headers = {
        etag,
        'cache-control': 'public, max-age=3600',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      }
      if (isFresh(request.header('if-none-match'), etag)) return { status: 304, headers }
      return { status: 200, raw: bytes, headers: { ...headers, 'content-type': `${type}; charset=utf-8` } }
    },
  }
}

async function versioned(read: () => Promise<Buffer>) {
  const bytes = new Uint8Array(await read())
  return { bytes, etag: etagOf(bytes) }
}

/** From the build's copy, since the whole package is not installed in production; without a build from the package. */
async function packaged(name: string, copy: URL): Promise<Buffer> {
  const here = import.meta.url
  if (here.endsWith('.ts')) return readFile(createRequire(here).resolve(`swagger-ui-dist/${name}`))
  return gunzipSync(await readFile(copy))
}
