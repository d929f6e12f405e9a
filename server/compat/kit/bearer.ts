/** The token of a request with `Authorization: Bearer …` (RFC 6750, section 2.1). */
export function bearer({ authorization = '' }: Readonly<Record<string, string>>): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization)?.[1]
}
