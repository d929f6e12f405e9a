import { createHash } from 'node:crypto'
import type { PublicRequest } from './public-request.ts'

/** The strong validator of these bytes (RFC 9110, section 8.8.3). */
export function etagOf(bytes: string | Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

/** Whether the reader has this version already, so that 304 will do (RFC 9110, section 13.1.2). */
export function isFresh(request: PublicRequest, etag: string): boolean {
  const known = request
    .header('if-none-match')
    ?.split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  return known?.includes(etag) === true || known?.includes('*') === true
}
