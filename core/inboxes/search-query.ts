import type { SearchTerm } from '../ports/store/mail-words.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How many characters and words of a query are looked for, and how long a word is at most. */
const LONGEST_QUERY = 1_000
const MOST_WORDS = 12
const LONGEST_WORD = 60
/** How many characters of a text are read, and how many of its words are kept. */
export const MOST_TEXT = 60_000
const MOST_KEPT = 4_000

/** The words of a text: in lower case, without accents, and none that is too long to be looked for. */
export function wordsOf(text: string): readonly string[] {
  const plain = plainWord(text.slice(0, MOST_TEXT))
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length <= LONGEST_WORD).slice(0, MOST_KEPT)
}

/** A word as it is compared: in lower case, without accents. */
export function plainWord(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/**
 * The terms of a query as people write it: words, `"phrases"`, and beginnings such as `invoi*`. The last word may go on, since
 * people type it. Signs mean nothing, so that no query is wrong.
 */
export function termsOf(query: string): readonly SearchTerm[] {
  const terms: SearchTerm[] = []
  let left = MOST_WORDS
  const parts = [...query.slice(0, LONGEST_QUERY).matchAll(/"([^"]*)"?|[^\s"]+/g)]
  for (const [i, [part, phrase]] of parts.entries()) {
    const words = wordsOf(phrase ?? part).slice(0, left)
    left -= words.length
    const isGoingOn = part.endsWith('*') || (phrase === undefined && i === parts.length - 1)
    // one letter begins too much
    const isBeginning = isGoingOn && (words.at(-1)?.length ?? 0) > 1
    if (words.length > 0) terms.push({ words, isBeginning })
  }
  return terms
}

/** The words by which mails of a project, or of an inbox, are told from others. */
export const scopeOf = {
  project: (id: ProjectId): string => `p${id.replaceAll('-', '')}`,
  inbox: (id: string): string => `i${id.replaceAll('-', '')}`,
}
