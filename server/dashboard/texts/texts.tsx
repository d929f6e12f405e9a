import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { en } from './en/all.ts'
import type { Texts } from './types.ts'

export type Language = 'en' | 'de'

/** The languages of the dashboard, each with its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** All but English are loaded when they are wanted. */
const OTHERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./de/all.ts')).de,
}

const KEPT = 'mailwright-language'
const Context = createContext<{
  readonly texts: Texts
  readonly language: Language
  readonly choose: (language: Language) => void
}>({ texts: en, language: 'en', choose: () => {} })

/** All words of the dashboard, in the reader's language. */
export function useTexts(): Texts {
  return useContext(Context).texts
}

/** The language, and how to choose another. */
export function useLanguage() {
  const { language, choose } = useContext(Context)
  return { language, choose }
}

export function TextScope({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(chosenLanguage)
  const [texts, setTexts] = useState<Texts | undefined>(language === 'en' ? en : undefined)
  useEffect(() => {
    document.documentElement.lang = language
    if (language === 'en') return setTexts(en)
    let isWanted = true
    OTHERS[language]().then(
      (loaded) => isWanted && setTexts(loaded),
      () => isWanted && setTexts(en),
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
