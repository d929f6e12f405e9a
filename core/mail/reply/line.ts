/** A line of a mail, from its text or from its HTML. */
export interface Line {
  readonly text: string
  /** How the HTML marks it; in plain text a quote is marked by `>`. */
  readonly mark?: Mark
}

/**
 * `quote` and `signature` are marked as such by the mail program. `indented` is a `<blockquote>` that the author may have
 * written as well. With `rest` the older mail begins, and goes on to the end.
 */
export type Mark = 'quote' | 'signature' | 'indented' | 'rest'

/** The words of a line to compare: without links' addresses, with ordinary blanks and colons. */
export function plainWords(text: string): string {
  return text
    .slice(0, MAX_LINE)
    .replace(/[<[(]?https?:\/\/[^\s<>\])]+[>\])]?/g, '')
    .replace(/[\u00a0\u202f\u3000]/g, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('：', ':')
    .replaceAll('’', "'")
    .trim()
}

/** Longer lines are sentences of an author: of them only the beginning is compared. */
export const MAX_LINE = 2000

export function isBlank({ text }: Line): boolean {
  return text.trim() === ''
}

/** A line of `_`, `-`, `=` or `*` alone, which mail programs draw above what they add. */
export function isRule({ text }: Line): boolean {
  return /^\s*(?:[_—–-]{3,200}|[=*]{3,200})\s*$/.test(text.slice(0, MAX_LINE))
}
