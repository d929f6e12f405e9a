import { NoAnswer } from './no-answer.ts'

/**
 * Reads the address of a request, relative to `base` when it is where a response leads to. The URL standard's parser
 * turns every spelling of an IPv4 address (decimal, octal, hexadecimal, short) into the usual one. Throws NoAnswer
 * `forbidden` for what is no URL, is neither http nor https, or names a user.
 */
export function readTarget(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null) throw new NoAnswer('forbidden', 'the address is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NoAnswer('forbidden', `only http and https are allowed, not ${url.protocol.slice(0, -1)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new NoAnswer('forbidden', 'the address must not contain a user name or a password')
  }
  return url
}

/** The host of a URL as name servers and certificates know it: without brackets and without a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** The port of a URL, its scheme's when it has none. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
