/** The password of a request with `Authorization: Basic …` (RFC 7617). */
export function basicPassword({ authorization = '' }: Readonly<Record<string, string>>): string | undefined {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  return decoded.includes(':') ? decoded.slice(decoded.indexOf(':') + 1) : undefined
}
