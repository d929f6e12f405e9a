import { NoAnswer } from './no-answer.ts'

/**
 * Reads a request's address, relative to `base` for a redirect. The URL standard's parser turns every spelling of an
 * IPv4 address (decimal, octal, hexadecimal, short) into the usual one. Throws NoAnswer `forbidden` when it is no URL,
 * neither http nor https, or contains a user.
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

/** A URL's host in the form of DNS and certificates: without brackets and without a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** A URL's port, or its scheme's default. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
