import { useMemo } from 'react'
import { useAsk } from '../api/ask.ts'

const ALWAYS = ['email', 'id', 'subscribed', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl', 'viewUrl']

/** The names that `{{ }}` may have in a mail of this project, for completing it. */
export function useVariables(): readonly { readonly name: string; readonly detail?: string }[] {
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  return useMemo(() => {
    const data = (fields.data?.fields ?? []).filter(({ field }) => field.startsWith('data.'))
    return [
      ...data.map(({ field, coverage = 0 }) => ({ name: field.slice(5), detail: `${Math.round(coverage)} %` })),
      ...ALWAYS.map((name) => ({ name })),
    ]
  }, [fields.data])
}
