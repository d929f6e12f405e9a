import type { ContentAttachment } from '../../core/ports/store/contents.ts'
import { pictureTypeOf } from '../../core/values/picture-type.ts'

/** Types that a browser only displays, beside pictures. No others may be opened under our host name. */
const SHOWN = /^(?:application\/pdf|text\/plain)$/

/**
 * The answer with a file that was written by others: it is downloaded, and nothing in it runs under our host name. Its bytes
 * say whether it is a picture, since programs call one anything.
 */
export function fileAnswer({
  filename,
  contentType,
  bytes,
}: Pick<ContentAttachment, 'filename' | 'contentType' | 'bytes'>) {
  const headers = {
    'content-type': pictureTypeOf(bytes) ?? (SHOWN.test(contentType) ? contentType : 'application/octet-stream'),
    'content-disposition': `attachment; filename*=UTF-8''${encoded(filename)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'cache-control': 'private, no-store',
  }
  return { status: 200, raw: new Uint8Array(bytes), headers }
}

/** In the form of RFC 8187. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
