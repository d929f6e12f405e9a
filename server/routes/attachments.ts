import { EngineError } from '../../core/errors.ts'
import type { OpenRoute } from '../http/route.ts'

/** Types that a browser only displays. No others may be opened under our host name. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|text\/plain)$/

/** Attachments of received mail, at the URL in the event, which cannot be guessed. */
export const attachmentRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/attachments/:token/:number',
    operation: 'getAttachment',
    summary: 'Download an attachment of a received mail',
    description: 'The address is in the record of the mail and works for a limited time.',
    access: 'open',
    gives: { 200: '*/*' },
    async handle({ inbound }, request) {
      const found = await inbound.attachment(request.param('token'), request.param('number'))
      if (!found) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no such attachment.')
      const type = SHOWN.test(found.contentType) ? found.contentType : 'application/octet-stream'
      const headers = {
        'content-type': type,
        'content-disposition': `attachment; filename*=UTF-8''${encoded(found.filename)}`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        'cache-control': 'private, no-store',
      }
      return { status: 200, raw: new Uint8Array(found.bytes), headers }
    },
  },
]

/** In the form of RFC 8187. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
