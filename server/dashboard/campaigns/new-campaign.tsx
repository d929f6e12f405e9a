import { Paper, Select, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { compose } from '../parts/mail-editor/compose.ts'
import type { Design } from '../parts/mail-editor/design.ts'
import { Page } from '../parts/page.tsx'
import { SenderField } from '../parts/sender-field.tsx'
import { BLANK, STARTERS } from '../parts/starters.ts'
import { useTexts } from '../texts/texts.tsx'

/** The first questions of a campaign; the answers make a draft. */
export function NewCampaign() {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const { values } = useAddress()
  const [, navigate] = useLocation()
  const templates = useAsk(['templates', 'all'], (client, signal) =>
    client.GET('/templates', { params: { query: { limit: 100 } }, signal }),
  )
  const drawn = (design: Design) => ({
    design,
    body: compose(design, project.look ?? {}, project.locale ?? undefined),
  })
  const form = useForm({
    initial: { name: '', subject: '', from: project.from?.email ?? '', start: values.template ?? 'blank' },
    async save({ name, subject, from, start }) {
      const own = templates.data?.templates.find(({ id }) => id === start)
      const starter = STARTERS.find(({ key }) => key === start)
      const words = own === undefined ? drawn(starter?.design ?? BLANK) : { template: own.id }
      const audience = { audienceType: 'ALL' as const }
      return answerOf(
        api.POST('/campaigns', {
          body: { name, subject: subject || own?.subject || name, from, ...words, ...audience },
        }),
      )
    },
    onSaved: ({ data }) => navigate(`/${data.id}`),
  })
  return (
    <Page title={t.campaigns.new} trail={[{ text: t.campaigns.title, href: '/' }]}>
      <Paper withBorder p="lg" maw={640}>
        <FormBox form={form} submit={t.campaigns.make}>
          <TextInput label={t.campaigns.name} description={t.campaigns.nameHint} required {...form.text('name')} />
          <TextInput label={t.campaigns.subject} {...form.text('subject')} />
          <SenderField {...form.field('from')} />
          <Select
            label={t.campaigns.template}
            description={t.campaigns.templateHint}
            data={[
              { value: 'blank', label: t.campaigns.blank },
              {
                group: t.templates.title,
                items: (templates.data?.templates ?? []).map(({ id, name }) => ({ value: id, label: name })),
              },
              { group: t.starters.title, items: STARTERS.map(({ key }) => ({ value: key, label: t.starters[key] })) },
            ]}
            allowDeselect={false}
            searchable
            {...form.field('start')}
            onChange={(start) => start && form.set('start', start)}
          />
        </FormBox>
      </Paper>
    </Page>
  )
}
