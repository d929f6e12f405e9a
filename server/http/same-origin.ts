import { isThisMachine } from '../../core/mail/links/public-address.ts'

/** Whose page sent a request, as far as the browser says; `unknown`: no browser said anything. */
export type Sender = 'own' | 'foreign' | 'unknown'

/** The addresses of this server. */
export interface OwnUrls {
  /** By its settings. */
  readonly publicUrl: string | undefined
  /** The address that the operator has set while it runs. */
  readonly setUrl: string | undefined
}

/** The origins whose pages may act for people who are logged in, besides the server's own. */
export interface TrustedOrigins extends OwnUrls {
  readonly others: ReadonlySet<string>
  /**
   * Whether this server may have names that it does not know: it listens for other machines, and has no public
   * URL. Then a page is its own when it was loaded from the host that the request names.
   */
  readonly anyHost: boolean
}

/** A request, as far as its sender is found by it. */
export interface SentRequest {
  readonly headers: Headers
  readonly url: URL
}

/**
 * Whose page sent the request, by the fields that a browser sets and pages cannot change: `Origin` (RFC 6454, section
 * 7), else `Sec-Fetch-Site` (Fetch Metadata, section 2.3). Another port or a sibling's host is foreign, unless listed.
 *
 * `X-Forwarded-Host` and `X-Forwarded-Proto`, which h3's `getRequestURL` reads, say nothing here: a client may send them, so
 * that behind a proxy the public URL counts.
 *
 * To a browser a page is of the same origin as its server also when the page's owner has pointed its name at this
 * server a moment ago (DNS rebinding). So the host must be one of this server's, too.
 */
export function senderOf({ headers, url }: SentRequest, origins: TrustedOrigins): Sender {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const host = (headers.get('host') ?? url.host).toLowerCase()
  if (origin === null) {
    if (site === null) return 'unknown'
    return (site === 'same-origin' || site === 'none') && isOwnHost(host, origins) ? 'own' : 'foreign'
  }
  // pages that send no referrer have no origin either (Fetch, section 3.2); the browser still says whose they are
  if (origin === 'null') return site === 'same-origin' && isOwnHost(host, origins) ? 'own' : 'foreign'
  if (origins.others.has(origin)) return 'own'
  const own = ownUrl(origins)
  if (origin === own?.origin || origin === setUrl(origins)?.origin) return 'own'
  const page = URL.parse(origin)
  // a page that came unencrypted may be any attacker's
  if (page === null || (own?.protocol === 'https:' && page.protocol !== 'https:')) return 'foreign'
  return page.host !== '' && page.host === host && isOwnHost(host, origins) ? 'own' : 'foreign'
}

/** No other name leads to this machine by the names of loopback, so a page from there is of this machine. */
function isOwnHost(host: string, origins: TrustedOrigins): boolean {
  return (
    origins.anyHost ||
    host === ownUrl(origins)?.host ||
    host === setUrl(origins)?.host ||
    isThisMachine(`http://${host}`)
  )
}

function setUrl({ setUrl }: TrustedOrigins): URL | undefined {
  return (setUrl === undefined ? undefined : URL.parse(setUrl)) ?? undefined
}

function ownUrl({ publicUrl }: TrustedOrigins): URL | undefined {
  return (publicUrl === undefined ? undefined : URL.parse(publicUrl)) ?? undefined
}
