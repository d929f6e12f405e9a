import { createHash } from 'node:crypto'
import type { ArchivePage, ArchiveQuery } from '../../core/campaigns/archive.ts'
import type { Engine } from '../../core/engine.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import { archivedMailParts, archiveFeed, archiveList, archiveScript, wordsOf } from '../pages/archive-pages.ts'
import { mailReply } from '../pages/mail-document.ts'
import { invalidPage } from '../pages/subscription-pages.ts'

/** How many campaigns a feed has, and an embedded list: unless it asks for fewer. */
const IN_FEED = 20
const IN_LIST = 10

/** The public archives of projects. They set no cookies, count nothing, and are the same for every reader of a language. */
export const archiveRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/archive/:slug',
    operation: 'showArchive',
    summary: 'Show a public archive',
    description:
      'The published campaigns of a project, those sent last first, 20 a page (`?page=2`), or those of one topic (`?topic=news`). 404 without an archive.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html', 304: null },
    async handle(engine, request) {
      const page = pageOf(request.query.get('page'))
      const found = page === undefined ? undefined : await pageIn(engine, request, { page })
      if (!found) return invalidPage(request.languages)
      const { html, policy } = archiveList(found, addressesIn(engine, found.project), wordsIn(found, request))
      return kept(request, html, 'text/html; charset=utf-8', {
        'content-security-policy': policy,
        'content-language': wordsIn(found, request).language,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
      })
    },
  },
  {
    method: 'GET',
    path: '/archive/:slug/feed.xml',
    operation: 'showArchiveFeed',
    summary: 'Read an archive as a feed',
    description:
      'The 20 campaigns of an archive, or of one topic (`?topic=news`), that were sent last, in Atom (RFC 4287).',
    access: 'open',
    errors: 'page',
    gives: { 200: 'application/atom+xml', 304: null },
    async handle(engine, request) {
      const found = await pageIn(engine, request, { limit: IN_FEED })
      if (!found) return invalidPage(request.languages)
      const feed = archiveFeed(found, addressIn(engine, found.project), wordsIn(found, request))
      return kept(request, feed, 'application/atom+xml; charset=utf-8', { 'access-control-allow-origin': '*' })
    },
  },
  {
    method: 'GET',
    path: '/archive/:slug/list.js',
    operation: 'embedArchive',
    summary: 'Embed an archive in another site',
    description:
      'A script that puts a list of the campaigns sent last where it stands: 10 of them, or as many as `?limit=` says, up to 20; those of one topic with `?topic=`. It sets no cookie.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/javascript', 304: null },
    async handle(engine, request) {
      const limit = Math.min(IN_FEED, pageOf(request.query.get('limit'), IN_LIST) ?? IN_LIST)
      const found = await pageIn(engine, request, { limit })
      if (!found) return invalidPage(request.languages)
      const script = archiveScript(found, addressIn(engine, found.project), wordsIn(found, request))
      return kept(request, script, 'text/javascript; charset=utf-8', {
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
    },
  },
  {
    method: 'GET',
    path: '/archive/:slug/:campaign',
    operation: 'showArchivedMail',
    summary: 'Show a campaign of an archive',
    description:
      'Its mail for readers who are no recipients: variables are empty, and there is no tracking and no link of a recipient.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html', 304: null },
    async handle(engine, request) {
      const found = await engine.campaigns.archive.mail(request.param('slug'), request.param('campaign'))
      if (!found) return invalidPage(request.languages)
      const { project, campaign, mail } = found
      const words = wordsOf(project, request.languages)
      const parts = archivedMailParts(project, campaign, addressesIn(engine, project), words)
      const reply = mailReply(mail, { language: words.language, headers: {}, ...parts })
      return kept(request, String(reply.raw), 'text/html; charset=utf-8', reply.headers ?? {})
    },
  },
]

/** A reply that browsers and proxies keep for five minutes; without a body when the reader has it already (RFC 9110, section 13.1.2). */
function kept(request: PublicRequest, body: string, type: string, more: Readonly<Record<string, string>>): Reply {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  const headers = {
    ...more,
    'content-type': type,
    'cache-control': 'public, max-age=300',
    vary: 'Accept-Language',
    etag,
  }
  const known = request.header('if-none-match')?.split(',') ?? []
  return known.some((each) => each.trim().replace(/^W\//, '') === etag)
    ? { status: 304, headers }
    : { status: 200, raw: body, headers }
}

/** The part of the archive that the address names. */
function pageIn({ campaigns }: Engine, request: PublicRequest, query: ArchiveQuery) {
  return campaigns.archive.page(request.param('slug'), { ...query, topic: request.query.get('topic') ?? undefined })
}

function wordsIn({ project }: ArchivePage, { languages }: PublicRequest) {
  return wordsOf(project, languages)
}

/** Where the archive is; only its path on a server that knows no address of itself. */
function addressIn({ campaigns }: Engine, project: Project): string {
  return campaigns.archive.addressOf(project) ?? `/archive/${project.archiveSlug}`
}

function addressesIn(engine: Engine, project: Project) {
  return { address: addressIn(engine, project), leaveUrl: engine.subscriptions.leaving.addressOf(project) }
}

/** A number from 1 on; undefined for what is none. */
function pageOf(given: string | null, otherwise = 1): number | undefined {
  if (given === null) return otherwise
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : undefined
}
