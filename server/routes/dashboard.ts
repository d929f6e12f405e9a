import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { EngineError } from '../../core/errors.ts'
import { etagOf, isFresh, takesEncoding } from '../http/negotiation.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'

/** Where the build puts the dashboard. The page of sources is that of the last build, too. */
const FOLDER = import.meta.url.endsWith('.ts')
  ? new URL('dist/server/dashboard/', new URL('../../', import.meta.url))
  : new URL('../dashboard/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Files that the build has compressed already, smallest first, by the name browsers ask for. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Scripts, styles and requests of this server alone; pictures from anywhere, since templates show theirs. */
const pagePolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https: http:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * The empty page that a mail is shown in: only its own styles count, and its pictures where the user asked for them.
 */
const framePolicy = (pictures: boolean) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:${pictures ? " 'self' http: https:" : ''}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin`

const FRAME = '<!doctype html><html><head><meta charset="utf-8"><title></title></head><body></body></html>'

/** The dashboard: one page for all of its addresses below `path`, its files, and the frame in which it shows mails. */
export function dashboardRoutes(path: string): readonly OpenRoute[] {
  const route = {
    method: 'GET',
    access: 'open',
    quiet: true,
    gives: { 200: 'text/html', 302: null, 304: null },
  } as const
  return [
    {
      ...route,
      path: `${path}/**`,
      operation: 'getDashboard',
      summary: 'Open the dashboard',
      description: 'The pages for people, and the files they need.',
      async handle(_engine, request) {
        const rest = request.pathBelow(path)
        if (rest === undefined)
          return { status: 302, headers: { location: `${path.slice(path.lastIndexOf('/') + 1)}/` } }
        if (rest === 'frame' || rest === 'frame/pictures') return frame(rest !== 'frame')
        if (rest.startsWith('assets/') || rest === 'icon.svg') return file(request, rest)
        return page(rest)
      },
    },
  ]
}

/** The page, which leads its own links relative to its address: it holds below whatever path a proxy puts it. */
async function page(rest: string): Promise<Reply> {
  const html = (await read('index.html')).toString('utf8')
  const nonce = randomBytes(16).toString('base64url')
  const base = '../'.repeat(rest.split('/').length - 1) || './'
  return {
    status: 200,
    raw: html
      .replace('<meta charset="utf-8">', `<meta charset="utf-8">\n<base href="${base}">`)
      .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(nonce),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    },
  }
}

function frame(pictures: boolean): Reply {
  return {
    status: 200,
    raw: FRAME,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': framePolicy(pictures),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}

/**
 * A file of the build. Its name has a hash of its contents, so that it never changes. h3's `serveStatic` would take the
 * encoding that the browser names first, and all browsers name gzip before the smaller br.
 */
async function file(request: PublicRequest, name: string): Promise<Reply> {
  const accepted = request.header('accept-encoding')
  const known = await names()
  const [encoding, ending = ''] =
    ENCODINGS.find(([coding, end]) => takesEncoding(accepted, coding) && known.has(name + end)) ?? []
  if (!known.has(`${name}.gz`)) throw new EngineError('RESOURCE_NOT_FOUND', 'There is nothing at this path.')
  // for a client that takes none of them it is unpacked
  const bytes = new Uint8Array(encoding ? await read(name + ending) : gunzipSync(await read(`${name}.gz`)))
  const etag = etagOf(bytes)
  const headers = {
    etag,
    vary: 'Accept-Encoding',
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  }
  if (isFresh(request.header('if-none-match'), etag)) return { status: 304, headers }
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return { status: 200, raw: bytes, headers: { ...headers, 'content-type': type } }
}

let known: Promise<ReadonlySet<string>> | undefined

/** The names of all files of the build, once they are there: whatever is not among them is not read. */
function names(): Promise<ReadonlySet<string>> {
  known ??= readdir(FOLDER, { recursive: true })
    .then((all) => new Set(all.map((each) => each.replaceAll('\\', '/'))))
    .catch((error: unknown) => {
      known = undefined
      throw missing(error)
    })
  return known
}

async function read(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, FOLDER))
  } catch (error) {
    throw missing(error)
  }
}

function missing(cause: unknown): EngineError {
  return new EngineError('RESOURCE_NOT_FOUND', 'The files of the dashboard are missing.', {
    suggestion: 'Run "npm run build", or switch the dashboard off by server.dashboard: false.',
    cause,
  })
}
