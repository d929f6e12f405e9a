/** Longer ones are nothing a dashboard sends. */
const MAX_LENGTH = 2000
const BASE = 'https://here.invalid'

/**
 * A path to go to after a login, with its query; undefined for anything that could lead to another site: an address, a
 * path with two slashes or a backslash at its start, also after dots in it are resolved (WHATWG URL, section 4.4).
 */
export function safePath(text: string | null | undefined): string | undefined {
  if (!text || text.length > MAX_LENGTH || !/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return undefined
  const url = URL.parse(text, BASE)
  if (url === null || url.origin !== BASE) return undefined
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.startsWith('//') ? undefined : path
}
