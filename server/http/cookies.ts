import { type H3Event, setCookie } from 'h3'
import { BROWSER_DAYS, type Session } from '../../core/accounts/sessions.ts'
import type { OwnUrls } from './same-origin.ts'

/** A cookie that an answer sets: for this host alone, out of reach of scripts, not sent with other sites' requests. */
export interface Cookie {
  /** Without prefix. */
  readonly name: string
  readonly value: string
  /** In seconds; 0 removes the cookie. */
  readonly maxAge: number
}

const SESSION = 'mailwright_session'
const BROWSER = 'mailwright_browser'

/** The longest `Cookie` field that is read; browsers send some kilobytes at most. */
const MAX_LENGTH = 16_384

/**
 * Over https the cookie is only sent there. An address that was set while the server runs counts for requests to it
 * alone: an operator who set a wrong one must still be able to sign in where they did it.
 */
export function isSecure({ publicUrl, setUrl }: OwnUrls, url: URL): boolean {
  if (publicUrl?.startsWith('https:') || url.protocol === 'https:') return true
  return setUrl?.startsWith('https:') === true && URL.parse(setUrl)?.host === url.host
}

/** The cookies that begin a session, and by which the browser is known at later logins. */
export function sessionCookies({ token, expiresAt, browser }: Session, now: Date): readonly Cookie[] {
  const maxAge = Math.max(0, (expiresAt.getTime() - now.getTime()) / 1000)
  return [
    { name: SESSION, value: token, maxAge },
    { name: BROWSER, value: browser, maxAge: BROWSER_DAYS * 24 * 3600 },
  ]
}

/** The cookie that ends a session. */
export const NO_SESSION: Cookie = { name: SESSION, value: '', maxAge: 0 }

/** The token of the session in the request's cookies. */
export function sessionToken(headers: Headers, secure: boolean): string | undefined {
  return readCookie(headers, SESSION, secure)
}

/** The token that a browser kept from an earlier login. */
export function browserToken(headers: Headers, secure: boolean): string | undefined {
  return readCookie(headers, BROWSER, secure)
}

/** Adds the cookie to the event's answer. Call it once the answer is certain: h3 would send the cookie with an error, too. */
export function writeCookie(event: H3Event, { name, value, maxAge }: Cookie, secure: boolean): void {
  const attributes = { path: '/', maxAge: Math.floor(maxAge), httpOnly: true, secure, sameSite: 'lax' } as const
  setCookie(event, cookieName(name, secure), value, attributes)
}

/**
 * The value of a cookie in a request; undefined when it has none, or several. h3's `getCookie` takes the first of several,
 * which may be one that a sibling's host has set.
 */
export function readCookie(headers: Headers, name: string, secure: boolean): string | undefined {
  const field = headers.get('cookie')
  if (!field || field.length > MAX_LENGTH) return undefined
  const wanted = `${cookieName(name, secure)}=`
  const found = field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted))
  const [only, ...more] = found
  return more.length > 0 ? undefined : only?.slice(wanted.length) || undefined
}

/**
 * The name of a cookie as it is set: over https with the prefix `__Host-`, so that neither another host nor an
 * unencrypted answer can set it (RFC 6265bis, section 4.1.3.2).
 */
function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}
