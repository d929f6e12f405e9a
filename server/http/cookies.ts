/** A cookie to be set. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly secure: boolean
  /** In seconds; 0 removes it. */
  readonly maxAge: number
}

/** The longest `Cookie` field that is read; browsers send some kilobytes at most. */
const MAX_LENGTH = 16_384

/**
 * The name of a cookie as it is set: over https with the prefix `__Host-`, so that neither another host nor an
 * unencrypted answer can set it (RFC 6265bis, section 4.1.3.2).
 */
function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

/** The value of a `Set-Cookie` field: for this host alone, out of reach of scripts, not sent with other sites' requests. */
export function setCookie({ name, value, secure, maxAge }: Cookie): string {
  const attributes = [
    'Path=/',
    `Max-Age=${Math.floor(maxAge)}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ]
  return [`${cookieName(name, secure)}=${value}`, ...attributes].join('; ')
}

/** The value of a cookie in a request; undefined when it has none, or several, of which one may be forged. */
export function readCookie(field: string | null | undefined, name: string, secure: boolean): string | undefined {
  if (!field || field.length > MAX_LENGTH) return undefined
  const wanted = `${cookieName(name, secure)}=`
  const found = field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted))
  const [only, ...more] = found
  return more.length > 0 ? undefined : only?.slice(wanted.length) || undefined
}
