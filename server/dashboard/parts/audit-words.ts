import { useMemo } from 'react'
import { audit as german, auditKinds as germanKinds } from '../texts/de/audit.ts'
import { audit as english, auditKinds as englishKinds } from '../texts/en/audit.ts'
import { useLanguage } from '../texts/texts.tsx'

/** The words of the audit log: what an entry says, and the kinds of things. They come with the pages that have them. */
export function useAuditWords() {
  const { language } = useLanguage()
  return useMemo(() => {
    const isGerman = language === 'de'
    const deeds: Readonly<Record<string, string>> = isGerman ? german : english
    const kinds: Readonly<Record<string, string>> = isGerman ? germanKinds : englishKinds
    return {
      deed: (action: string) => deeds[action] ?? action,
      kind: (type: string) => kinds[type] ?? type,
      /** The kinds to choose from, by their words. */
      kinds: Object.entries(kinds)
        .map(([value, label]) => ({ value, label }))
        .toSorted((one, other) => one.label.localeCompare(other.label, language)),
    }
  }, [language])
}
