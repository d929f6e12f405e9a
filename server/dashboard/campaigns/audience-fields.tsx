import { Radio, Select, Stack } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { FilterBuilder } from '../parts/filter/filter-builder.tsx'
import type { Form } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { TopicSelect } from '../parts/topic-select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { CampaignValues } from './campaign-values.ts'

/** Who gets the campaign: all subscribed contacts, a segment, or the contacts that match rules. */
export function AudienceFields({ form }: { readonly form: Form<CampaignValues> }) {
  const t = useTexts()
  const formats = useFormats()
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const { audienceType, segmentId } = form.values
  const isGone = segmentId !== '' && segments.data?.every(({ id }) => id !== segmentId) === true
  const choose = (type: string) => form.set('audienceType', type as CampaignValues['audienceType'])
  return (
    <Stack>
      <TopicSelect {...form.field('topicId')} />
      <Radio.Group
        label={t.campaigns.audience}
        value={audienceType}
        onChange={choose}
        error={form.errorOf('audienceType')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="ALL" label={t.campaigns.audienceAll} />
          <Radio value="SEGMENT" label={t.campaigns.audienceSegment} />
          <Radio value="FILTERED" label={t.campaigns.audienceFiltered} />
        </Stack>
      </Radio.Group>
      {audienceType === 'SEGMENT' ? (
        <Select
          label={t.campaigns.chooseSegment}
          data={(segments.data ?? []).map(({ id, name, memberCount }) => ({
            value: id,
            label: `${name} (${formats.number(memberCount)})`,
          }))}
          value={segmentId === '' ? null : segmentId}
          onChange={(id) => form.set('segmentId', id ?? '')}
          searchable
          maw={420}
          error={form.errorOf('segmentId') ?? (isGone ? t.campaigns.segmentGone : undefined)}
        />
      ) : null}
      {audienceType === 'FILTERED' ? (
        <FilterBuilder
          value={form.values.audienceFilter}
          onChange={(filter) => form.set('audienceFilter', filter)}
          errorOf={(path) => form.errorOf(`audienceFilter.${path}`)}
        />
      ) : null}
    </Stack>
  )
}
