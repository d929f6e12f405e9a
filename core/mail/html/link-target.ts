import { decodeReferences } from '../../values/decode-references.ts'

/**
 * The target of a link, from the value of its `href` as it stands in HTML between these quotes: references such as
 * `&amp;` are decoded, and white space that browsers ignore (around it, tabs and line breaks in it) is removed.
 * Undefined when it cannot be tracked: not http or https, without a host, or not closed by its quotes.
 */
export function linkTarget(value: string, quote: '"' | "'" | ''): string | undefined {
  if (quote === '' ? /[\s>]/.test(value) : value.includes(quote)) return undefined
  const target = decodeReferences(value).replace(/^[\0-\x20]+|(?<![\0-\x20])[\0-\x20]+$|[\t\r\n]/g, '')
  return /^https?:\/\//i.test(target) && URL.canParse(target) ? target : undefined
}

/** True when an address that begins like this may be trackable. */
export function maybeTracked(beginning: string): boolean {
  const start = decodeReferences(beginning).trimStart().toLowerCase()
  return ['http://', 'https://'].some((scheme) => scheme.startsWith(start) || start.startsWith(scheme))
}
