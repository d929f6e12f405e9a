import { useAsk } from '../../api/ask.ts'
import type { components } from '../../api/client.ts'

/** True once it is known that the server has an assistant. */
export function useHasAssistant(): boolean {
  const { data } = useAsk<components['schemas']['AssistantState']>(
    ['assistant'],
    (api, signal) => api.GET('/assistant', { signal }),
    { once: true },
  )
  return data?.enabled === true
}
