import { Paper, Radio, Stack } from '@mantine/core'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import type { Filter } from '../parts/filter/language.ts'
import { FormBox, useForm } from '../parts/form.tsx'
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
  const [, navigate] = useLocation()
  const form = useForm({
    initial: EMPTY,
    save: ({ filters, ...rest }) =>
      answerOf(api.POST('/segments', { body: { ...rest, ...(rest.type === 'DYNAMIC' ? { filters } : {}) } })),
    changes: ['segments'],
    done: ({ name }) => t.segments.made(name),
    onSaved: ({ id }) => navigate(`/${id}`),
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
