import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'

export type Topic = components['schemas']['Topic']

/** The topics of the project; none while they are on their way. */
export function useTopics(): readonly Topic[] {
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  return topics.data?.data ?? []
}

/** Those that a form offers, in its order. */
export function chosenOf(topics: readonly Topic[], ids: readonly string[]): readonly Topic[] {
  return ids.flatMap((id) => topics.find((topic) => topic.id === id && !topic.archived) ?? [])
}
