import { audit as german } from '../texts/de/audit.ts'
import { audit as english } from '../texts/en/audit.ts'
import { useLanguage } from '../texts/texts.tsx'

/** Answers what an entry of the audit log says; its words come with the pages that have them. */
export function useAuditWords(): (action: string) => string {
  const words: Readonly<Record<string, string>> = useLanguage().language === 'de' ? german : english
  return (action) => words[action] ?? action
}
