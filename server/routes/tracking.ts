import type { MailVisitor } from '../../core/tracking/machines.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import { invalidPage, troublePage } from '../pages/subscription-pages.ts'

/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'))

/** Never cached, so that every opening is requested; other sites, such as web mailers, may show it. */
const PIXEL_HEADERS = {
  'content-type': 'image/gif',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** Header fields of a prefetching browser: Fetch, section 2.2.6 ("Sec-Purpose"), and those of older browsers. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** Where the pixels and links of tracked mails lead. A query after the path (`?utm_source=…`) is ignored. */
export const trackingRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/t/o/:token',
    operation: 'recordOpening',
    summary: 'Record an open',
    description: 'The pixel in a tracked mail. The response is the same whether the token is known or not.',
    access: 'open',
    quiet: true,
    gives: { 200: 'image/gif' },
    // the same answer to every token, so that no one learns which are valid
    async handle({ tracking }, request) {
      if (request.method === 'GET') await tracking.opened(request.param('token'), visitorOf(request))
      return { status: 200, raw: PIXEL, headers: PIXEL_HEADERS }
    },
  },
  {
    method: 'GET',
    path: '/t/c/:token/:link',
    operation: 'followLink',
    summary: 'Follow a link in a mail',
    description: 'Records the click and redirects to the address of the link.',
    access: 'open',
    quiet: true,
    gives: { 302: null, 404: 'text/html', 503: 'text/html' },
    async handle({ tracking, subscriptions, log }, request) {
      const visitor = request.method === 'GET' ? visitorOf(request) : undefined
      try {
        const token = request.param('token')
        const target = await tracking.clicked(token, request.param('link'), visitor)
        if (target !== undefined) return redirect(target)
        return invalidPage(request.languages, await subscriptions.leaving.ofLostLink(token))
      } catch (error) {
        log.error('a link could not be followed', { error })
        return troublePage(503, request.languages, { 'retry-after': '5' })
      }
    },
  },
]

/** The target as an ASCII header field. The target site does not learn the token. */
function redirect(target: string): Reply {
  return {
    status: 302,
    headers: {
      location: new URL(target).href,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    },
  }
}

/** The maker of this request, as the tracking knows it. */
export function visitorOf(request: PublicRequest): MailVisitor {
  const isPrefetch = PURPOSES.some((name) => /prefetch|prerender|preview/i.test(request.header(name) ?? ''))
  return { userAgent: request.header('user-agent'), address: request.address, isPrefetch }
}
