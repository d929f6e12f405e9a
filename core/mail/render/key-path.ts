/** A path as Liquid reads it: names and numbers, separated by dots. */
const PATH = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)*$/u
/** Names that the Liquid parser reads as a literal or an operator. */
const WORDS = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank', 'not', 'and', 'or', 'contains'])
/** Text that may be the name of a key: no literal, no operator, nothing with brackets or quotes. */
const NAME = /^[\p{L}\p{N}_][^|"'<>=!{}[\]]*$/u
/** A literal number. */
const NUMBER = /^[\d.]+$/
/** `["First Name"]`, `data["First Name"]` */
const BRACKETED = /^(data)?\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]$/

/**
 * The keys of an expression that is nothing but a path, or the name of a key with signs that no path has, such as
 * `First Name` or `data.First Name`; undefined for anything else.
 */
export function keysIn(expression: string): readonly string[] | undefined {
  const text = expression.trim()
  const [, data, double, single] = BRACKETED.exec(text) ?? []
  const key = double ?? single
  if (key !== undefined) return data === undefined ? [key] : [data, key]
  const isNone = WORDS.has(text) || NUMBER.test(text) || text.split(/\s+/).some((word, i) => i > 0 && WORDS.has(word))
  return !isNone && NAME.test(text) && !text.startsWith('not ') ? text.split('.') : undefined
}

/** The same expression as the Liquid parser reads it, when it would read another. */
export function asLiquid(expression: string): string {
  const text = expression.trim()
  if (PATH.test(text) || BRACKETED.test(text)) return expression
  const [root = '', ...keys] = keysIn(text) ?? []
  if (root === '') return expression
  return ` ${PATH.test(root) && !WORDS.has(root) ? root : `["${root}"]`}${keys.map((key) => `["${key}"]`).join('')} `
}

/** A text in quotes; one that is not closed goes to the end. */
const QUOTED = /("(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$))/s
/** `data.` and a name up to the next operator, filter or comma. */
const NAMED =
  /(?<![\w.-])data\.([^|"'<>=!{}[\],:()]{1,1000}?)(?=\s?(?:$|[|<>=!,:)]|(?<=\s)(?:contains|and|or)(?=\s|$)))/gu

/** A tag's expression with the keys under `data.` as the Liquid parser reads them. */
export function tagAsLiquid(content: string): string {
  if (!content.includes('data.')) return content
  const parts = content.split(QUOTED)
  return parts
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part.replace(/\s{2,}/g, ' ').replace(NAMED, (path) => (PATH.test(path) ? path : asLiquid(path))),
    )
    .join('')
}
