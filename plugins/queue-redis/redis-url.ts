/** Where Redis is, and who asks. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly username: string | undefined
  readonly password: string | undefined
  readonly db: number
  readonly isTls: boolean
}

/** Reads `redis://user:password@host:6379/0`; undefined when it is no such URL. */
export function readRedisUrl(text: string): RedisAddress | undefined {
  const url = URL.parse(text)
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === '') return undefined
  // a sign that is not percent-encoded ends a password too early
  if (url.search !== '' || url.hash !== '' || !/^(\/\d{0,5})?$/.test(url.pathname)) return undefined
  try {
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? 6379 : Number(url.port),
      username: decodeURIComponent(url.username) || undefined,
      password: decodeURIComponent(url.password) || undefined,
      db: Number(url.pathname.slice(1)),
      isTls: url.protocol === 'rediss:',
    }
  } catch {
    return undefined
  }
}

export function isRedisUrl(text: string): boolean {
  return readRedisUrl(text) !== undefined
}
