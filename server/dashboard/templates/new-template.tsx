import { Paper, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { compose } from '../parts/mail-editor/compose.ts'
import { Page } from '../parts/page.tsx'
import { StartChoice } from '../parts/start-choice.tsx'
import { blankIn, startersIn } from '../parts/starters.ts'
import { useTexts } from '../texts/texts.tsx'

/** A template begins with one of ours, or blank. */
export function NewTemplate() {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const [, navigate] = useLocation()
  const form = useForm({
    initial: { name: '', start: 'newsletter' },
    save({ name, start }) {
      const starter = startersIn(t).find(({ key }) => key === start)
      const { subject = name, design = blankIn(t), type = 'MARKETING' } = starter ?? {}
      const body = compose(design, project)
      return answerOf(api.POST('/templates', { body: { name, subject, body, design, type } }))
    },
    changes: ['templates'],
    onSaved: ({ id }) => navigate(`/${id}`),
  })
  return (
    <Page title={t.templates.new} trail={[{ text: t.templates.title, href: '/' }]}>
      <Paper withBorder p="lg" maw={900}>
        <FormBox form={form} submit={t.templates.make}>
          <TextInput label={t.templates.name} description={t.templates.nameHint} required {...form.text('name')} />
          <StartChoice label={t.templates.start} {...form.field('start')} />
        </FormBox>
      </Paper>
    </Page>
  )
}
