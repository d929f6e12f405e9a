import { Paper, Radio, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import type { Filter } from '../parts/filter/language.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { SegmentFields, type SegmentValues } from './segment-fields.tsx'

const EMPTY: SegmentValues = {
  name: '',
  description: '',
  type: 'DYNAMIC',
  filters: { operator: 'AND', conditions: [{ field: '', operator: 'equals', value: '' }] } satisfies Filter,
  trackMembership: false,
}

export function NewSegment() {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const [, navigate] = useLocation()
  const form = useForm({
    initial: EMPTY,
    save: ({ filters, ...rest }) =>
      answerOf(api.POST('/segments', { body: { ...rest, ...(rest.type === 'DYNAMIC' ? { filters } : {}) } })),
    async onSaved({ id, name }) {
      notices.done(t.segments.made(name))
      await queries.invalidateQueries({ queryKey: [project, 'segments'] })
      navigate(`/${id}`)
    },
  })
  return (
    <Page title={t.segments.new} trail={[{ text: t.segments.title, href: '/' }]}>
      <Paper withBorder p="lg" maw={960}>
        <FormBox form={form} submit={t.anywhere.create}>
          <Radio.Group
            label={t.segments.kind}
            value={form.values.type}
            onChange={(type) => form.set('type', type === 'STATIC' ? 'STATIC' : 'DYNAMIC')}
            error={form.errorOf('type')}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="DYNAMIC" label={t.segments.byRules} />
              <Radio value="STATIC" label={t.segments.byHand} />
            </Stack>
          </Radio.Group>
          <SegmentFields form={form} />
        </FormBox>
      </Paper>
    </Page>
  )
}
