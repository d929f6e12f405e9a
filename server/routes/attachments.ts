import { EngineError } from '../../core/errors.ts'
import type { OpenRoute } from '../route.ts'

/** Types a browser only shows: whatever else came by mail is kept from running under our name. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|text\/plain)$/

/** Attachments of received mail, by the address the event has: nobody can guess it. */
export const attachmentRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/attachments/:token/:number',
    summary: 'An attachment of a received mail',
    access: 'open',
    answers: [200],
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

/** As RFC 8187 wants it. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
