import { createContext, type ReactNode, use, useContext, useEffect, useState } from 'react'
import { untilLoaded } from '../api/later.ts'
import { first as english } from './en/first.ts'
import type { FirstTexts, Texts } from './types.ts'

export type Language = 'en' | 'de'

/** The languages of the dashboard, each with its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** The first words of all languages but English, which come with the page itself. */
const FIRST: Readonly<Record<Exclude<Language, 'en'>, () => Promise<FirstTexts>>> = {
  de: async () => (await import('./de/first.ts')).first,
}

/** All words, which are ten times as many. */
const ALL: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en/all.ts')).en,
  de: async () => (await import('./de/all.ts')).de,
}

const KEPT = 'mailwright-language'
const Context = createContext<{
  readonly texts: FirstTexts
  readonly language: Language
  readonly choose: (language: Language) => void
}>({ texts: english, language: 'en', choose: () => {} })

const loading = new Map<Language, Promise<Texts>>()

/** All words of a language, loaded once. */
function allTexts(language: Language): Promise<Texts> {
  const found = loading.get(language)
  if (found !== undefined) return found
  const texts = untilLoaded(ALL[language])
  loading.set(language, texts)
  return texts
}

/** Begins to load all words, beside the code of a page that shows them. */
export function loadTexts(): void {
  void allTexts(chosenLanguage())
}

/** The words of sign-in, the frame, Home and what all pages share, in the reader's language. */
export function useFirstTexts(): FirstTexts {
  return useContext(Context).texts
}

/** All words of the dashboard, in the reader's language: waits for them, as for the code of a page. */
export function useTexts(): Texts {
  return use(allTexts(useContext(Context).language))
}

/** The language, and how to choose another. */
export function useLanguage() {
  const { language, choose } = useContext(Context)
  return { language, choose }
}

export function TextScope({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(chosenLanguage)
  const [texts, setTexts] = useState<FirstTexts | undefined>(language === 'en' ? english : undefined)
  useEffect(() => {
    document.documentElement.lang = language
    if (language === 'en') return setTexts(english)
    let isWanted = true
    FIRST[language]().then(
      (loaded) => isWanted && setTexts(loaded),
      () => isWanted && setTexts(english),
    )
    return () => {
      isWanted = false
    }
  }, [language])
  const choose = (wanted: Language) => {
    localStorage.setItem(KEPT, wanted)
    setLanguage(wanted)
  }
  return texts === undefined ? null : <Context value={{ texts, language, choose }}>{children}</Context>
}

function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT) ?? '', ...navigator.languages]
  for (const each of wanted) {
    const language = each.slice(0, 2)
    if (language in LANGUAGES) return language as Language
  }
  return 'en'
}
