import { useMemo } from 'react'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { fieldLabel } from './field-label.ts'

const ALWAYS = ['email', 'id', 'subscribed', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl', 'viewUrl']

/** A name that `{{ }}` may have. */
export interface Variable {
  readonly name: string
  /** The name that people read. */
  readonly label: string
  /** How many contacts have it, in percent. */
  readonly coverage?: number
}

/** The names that `{{ }}` may have in a mail of this project, for completing it. */
export function useVariables(): readonly Variable[] {
  const t = useTexts()
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  return useMemo(() => {
    const data = (fields.data?.fields ?? []).filter(({ field }) => field.startsWith('data.'))
    const called = (name: string) => ({ name, label: fieldLabel(name, t) })
    return [
      ...data.map(({ field, coverage = 0 }) => ({ ...called(field.slice(5)), coverage: Math.round(coverage) })),
      ...ALWAYS.map(called),
    ]
  }, [fields.data, t])
}
