/** Whose page sent a request, as far as the browser says; `unknown`: no browser said anything. */
export type Sender = 'own' | 'foreign' | 'unknown'

/** The origins whose pages may act for people who are logged in, besides the server's own. */
export interface TrustedOrigins {
  readonly publicUrl: string | undefined
  readonly others: ReadonlySet<string>
}

/**
 * Whose page sent the request, by the fields that a browser sets and pages cannot change: `Origin` (RFC 6454, section
 * 7), else `Sec-Fetch-Site` (Fetch Metadata, section 2.3). Another port or a sibling's host is foreign, unless listed.
 */
export function senderOf(headers: Headers, { publicUrl, others }: TrustedOrigins): Sender {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  if (origin === null) {
    if (site === null) return 'unknown'
    return site === 'same-origin' || site === 'none' ? 'own' : 'foreign'
  }
  // pages that send no referrer have no origin either (Fetch, section 3.2); the browser still says whose they are
  if (origin === 'null') return site === 'same-origin' ? 'own' : 'foreign'
  if (others.has(origin)) return 'own'
  const own = publicUrl === undefined ? undefined : URL.parse(publicUrl)
  if (origin === own?.origin) return 'own'
  const page = URL.parse(origin)
  // a page that came unencrypted may be anybody's
  if (page === null || (own?.protocol === 'https:' && page.protocol !== 'https:')) return 'foreign'
  return page.host !== '' && page.host === headers.get('host')?.toLowerCase() ? 'own' : 'foreign'
}
