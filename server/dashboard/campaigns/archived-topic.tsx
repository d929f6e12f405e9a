import { Alert } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'

/** Warns of a topic that was put away. */
export function ArchivedTopic({ campaign }: { readonly campaign: { readonly topicId?: string | null } }) {
  const t = useTexts()
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  const topic = topics.data?.data.find(({ id }) => id === campaign.topicId)
  return topic?.archived ? <Alert color="yellow">{t.campaigns.topicArchived(topic.name)}</Alert> : null
}
