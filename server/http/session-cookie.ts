import type { Session } from '../../core/accounts/sessions.ts'
import { readCookie, setCookie } from './cookies.ts'

const NAME = 'mailwright_session'

/** Over https the cookie is only sent there. */
export function isSecure(publicUrl: string | undefined, url: URL): boolean {
  return publicUrl?.startsWith('https:') === true || url.protocol === 'https:'
}

/** The token of the session in the request's cookies. */
export function sessionToken(headers: Headers, secure: boolean): string | undefined {
  return readCookie(headers.get('cookie'), NAME, secure)
}

/** The `Set-Cookie` field that begins a session. */
export function sessionCookie({ token, expiresAt }: Session, now: Date, secure: boolean): string {
  const maxAge = Math.max(0, (expiresAt.getTime() - now.getTime()) / 1000)
  return setCookie({ name: NAME, value: token, secure, maxAge })
}

/** The `Set-Cookie` field that removes it. */
export function noSessionCookie(secure: boolean): string {
  return setCookie({ name: NAME, value: '', secure, maxAge: 0 })
}
