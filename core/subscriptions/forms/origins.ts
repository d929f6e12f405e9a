import { getDomain } from 'tldts'

/** `*.` before a host stands for each of its subdomains, and not for the host itself. */
const ANY = '*.'

/** The address as a URL; undefined for anything but http and https, and with a user's name in it. */
export function webUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined
}

/** The origin as it is stored; undefined when it is none. */
export function originIn(text: string): string | undefined {
  const url = webUrl(text.replace(`//${ANY}`, '//'))
  const isBare = url !== undefined && url.pathname === '/' && url.search === '' && url.hash === ''
  if (!isBare || /[\\#?]/.test(text) || url.hostname.includes('*')) return undefined
  return isPattern(text) ? url.origin.replace('//', `//${ANY}`) : url.origin
}

/** Whether it is a pattern that would cover the pages of strangers, such as `https://*.com` or `https://*.github.io`. */
export function isTooWide(text: string): boolean {
  const url = isPattern(text) ? webUrl(text.replace(`//${ANY}`, '//')) : undefined
  return url !== undefined && getDomain(url.hostname, { allowPrivateDomains: true }) === null
}

/** Whether the origin is one of these, or a subdomain that one of them stands for. */
export function isListedOrigin(origin: string, origins: readonly string[]): boolean {
  return origins.some((listed) => listed === origin || (isPattern(listed) && isBelow(origin, listed)))
}

function isPattern(text: string): boolean {
  return text.includes(`//${ANY}`)
}

function isBelow(origin: string, pattern: string): boolean {
  const [page, base] = [webUrl(origin), webUrl(pattern.replace(`//${ANY}`, '//'))]
  if (page === undefined || base === undefined || page.origin !== origin) return false
  return page.protocol === base.protocol && page.port === base.port && page.hostname.endsWith(`.${base.hostname}`)
}
