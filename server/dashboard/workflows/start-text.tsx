import { useAsk } from '../api/ask.ts'
import { fieldInWords } from '../parts/field-in-words.ts'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'
import { startOf, startWords, type Trigger } from './start.ts'
import { untilWords } from './until.ts'

/** The trigger of a workflow in words, with the name of what it is about. */
export function StartText({ of }: { readonly of: Trigger }) {
  const t = useTexts()
  const { lasting } = useFormats()
  const name = useNameIn(of)
  const { field } = of.triggerConfig
  const date = field === undefined ? '' : untilWords({ ...of.triggerConfig, field: fieldInWords(field) }, t, lasting)
  return <>{startWords(of, t, of.triggerType === 'DATE' ? date : name)}</>
}

/** The name of the topic, form, segment or campaign that the trigger is about; empty until it is known. */
function useNameIn(trigger: Trigger): string {
  const { topicId, formId, campaignId, segment } = startOf(trigger)
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }), {
    enabled: topicId !== '',
  })
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }), {
    enabled: segment !== '',
  })
  const form = useAsk(
    ['forms', formId],
    (api, signal) => api.GET('/forms/{id}', { params: { path: { id: formId } }, signal }),
    { enabled: formId !== '' },
  )
  const campaign = useAsk(
    ['campaigns', campaignId],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id: campaignId } }, signal }),
    { enabled: campaignId !== '' },
  )
  const topic = topics.data?.data.find(({ id }) => id === topicId)
  const tracked = segments.data?.find(({ slug }) => slug === segment)
  return topic?.name ?? form.data?.name ?? campaign.data?.name ?? tracked?.name ?? segment
}
