/** The store a database URL stands for, as a socket of the config, or what is wrong with the URL. */
export type DatabaseUrl =
  | { readonly use: 'sqlite'; readonly options: { readonly file: string } }
  | { readonly use: 'postgres'; readonly options: { readonly url: string } }
  | { readonly problem: string }

/**
 * Reads a plain file path, `sqlite:` or `file:` with a path (`sqlite:./mail.db`, `file:///var/lib/mail.db`), or
 * `:memory:`, as SQLite; `postgres:` or `postgresql:` as PostgreSQL, whose plugin checks the rest. The problem never
 * repeats the URL, since it may contain a password.
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const url = text.trim()
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]+):(.*)$/is.exec(url) ?? []
  switch (scheme.toLowerCase()) {
    case '':
      // in quotes, or with a sign before it, a URL would be the name of a new file
      if (url.includes('://')) return { problem: FORM }
      return { use: 'sqlite', options: { file: url } }
    case 'sqlite':
    case 'file':
      return sqliteFile(rest)
    case 'postgres':
    case 'postgresql':
      return { use: 'postgres', options: { url } }
    default:
      return { problem: FORM }
  }
}

const FORM = 'must be a file such as ./data/mailwright.db, or postgres://user:password@localhost:5432/mailwright'

function sqliteFile(rest: string): DatabaseUrl {
  const path = rest.replace(/^\/\/(?:localhost(?=\/))?/, '')
  if (path === '' || path.includes('?')) return { problem: FORM }
  try {
    return { use: 'sqlite', options: { file: decodeURIComponent(path) } }
  } catch {
    return { problem: FORM }
  }
}
