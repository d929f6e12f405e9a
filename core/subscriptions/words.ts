import { DE } from './languages/de.ts'
import { EN } from './languages/en.ts'
import { ES } from './languages/es.ts'
import { FR } from './languages/fr.ts'
import { IT } from './languages/it.ts'
import { JA } from './languages/ja.ts'
import { NL } from './languages/nl.ts'
import { PL } from './languages/pl.ts'
import { PT } from './languages/pt.ts'
import type { Words } from './languages/words.ts'
import { ZH } from './languages/zh.ts'

/** Every language people are spoken to in, by its tag. */
export const LANGUAGES: ReadonlyMap<string, Words> = new Map(
  [EN, DE, FR, ES, NL, PT, IT, PL, JA, ZH].map((words) => [words.language, words]),
)

/**
 * The words in the first of these languages that we have, else in English. A wish is a language tag (BCP 47) of which
 * the first part counts: `pt-BR`, also written `pt_BR`, is `pt`. Anything else is no wish.
 */
export function wordsIn(...wishes: readonly unknown[]): Words {
  for (const wish of wishes) {
    const tag = typeof wish === 'string' ? wish.trim().toLowerCase().split(/[-_]/, 1)[0] : undefined
    const words = tag === undefined ? undefined : LANGUAGES.get(tag)
    if (words) return words
  }
  return EN
}
