import { DE } from './de.ts'
import { EN } from './en.ts'
import { ES } from './es.ts'
import { FR } from './fr.ts'
import { IT } from './it.ts'
import { JA } from './ja.ts'
import { NL } from './nl.ts'
import { PL } from './pl.ts'
import { PT } from './pt.ts'
import type { Translations } from './translations.ts'
import { ZH } from './zh.ts'

/** Every supported language, by its tag. */
export const LANGUAGES: ReadonlyMap<string, Translations> = new Map(
  [EN, DE, FR, ES, NL, PT, IT, PL, JA, ZH].map((translations) => [translations.language, translations]),
)

/**
 * The translations for the first of these languages that is supported, else English. A wish is a language tag (BCP 47)
 * whose first part counts: `pt-BR`, also written `pt_BR`, is `pt`. Anything else is ignored.
 */
export function translationsIn(...wishes: readonly unknown[]): Translations {
  for (const wish of wishes) {
    const tag = typeof wish === 'string' ? wish.trim().toLowerCase().split(/[-_]/, 1)[0] : undefined
    const translations = tag === undefined ? undefined : LANGUAGES.get(tag)
    if (translations) return translations
  }
  return EN
}

/** Names as a list in this language. */
export function listed(names: readonly string[], { language }: Translations): string {
  return new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(names)
}
