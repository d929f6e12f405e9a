import { MultiSelect, Paper, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProject } from '../api/project.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { useTexts } from '../texts/texts.tsx'
import { FieldList } from './field-list.tsx'
import { formPreview } from './form-preview.ts'
import { type FormValues, inputOf, seenOf } from './form-values.ts'
import { useTopics } from './topics.ts'

/** Builds a form, with how it looks beside. */
export function FormEditor({ seen, id }: { readonly seen: Seen<FormValues>; readonly id?: string }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProject()
  const [, navigate] = useLocation()
  const topics = useTopics()
  const path = { params: { path: { id: id ?? '' } } }
  const form = useSharedForm({
    seen,
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(api.GET('/forms/{id}', path))),
    save: (values, before) =>
      answerOf(
        id === undefined
          ? api.POST('/forms', { body: inputOf(values) })
          : api.PATCH('/forms/{id}', {
              ...path,
              body: { ...changedOnly(inputOf(values), inputOf(before.values)), version: before.version },
            }),
      ),
    labels: {
      name: t.forms.name,
      title: t.forms.heading,
      intro: t.forms.intro,
      topicIds: t.forms.topics,
      consent: t.forms.consent,
      doubleOptIn: t.forms.doubleOptIn,
      origins: t.forms.origins,
      redirectUrl: t.forms.redirectUrl,
      email: t.forms.emailLabel,
      button: t.forms.button,
      thanks: t.forms.thanks,
      active: t.forms.active,
      fields: t.forms.fields,
    },
    changes: ['forms'],
    done: t.forms.saved,
    onSaved(saved) {
      if (id === undefined) navigate(`/${saved.id}?tab=embed`)
    },
    names: { texts: 'title' },
  })
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <FormBox
        form={form}
        readOnly={!may.contacts}
        always={id === undefined}
        {...(id === undefined ? { submit: t.anywhere.create } : {})}
      >
        <Paper withBorder p="md">
          <Stack>
            <TextInput label={t.forms.name} description={t.forms.nameHint} required {...form.text('name')} />
            <TextInput label={t.forms.heading} required {...form.text('title')} />
            <Textarea label={t.forms.intro} autosize minRows={2} {...form.text('intro')} />
            <FieldList form={form} />
            {topics.length === 0 ? null : (
              <MultiSelect
                label={t.forms.topics}
                description={t.forms.topicsHint}
                data={topics
                  .filter(({ archived }) => !archived)
                  .map(({ id: value, name: label }) => ({ value, label }))}
                value={[...form.values.topicIds]}
                onChange={(chosen) => form.set('topicIds', chosen)}
                error={form.errorOf('topicIds')}
                maxValues={20}
              />
            )}
            <Textarea
              label={t.forms.consent}
              description={t.forms.consentHint}
              required
              autosize
              minRows={3}
              {...form.text('consent')}
            />
            <Switch label={t.forms.doubleOptIn} description={t.forms.doubleOptInHint} {...form.check('doubleOptIn')} />
            <Textarea
              label={t.forms.origins}
              description={t.forms.originsHint}
              autosize
              minRows={1}
              {...form.text('origins')}
            />
            <TextInput
              label={t.forms.redirectUrl}
              description={t.forms.redirectHint}
              type="url"
              {...form.text('redirectUrl')}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
              <TextInput label={t.forms.emailLabel} {...form.text('email')} />
              <TextInput label={t.forms.button} {...form.text('button')} />
            </SimpleGrid>
            <Textarea label={t.forms.thanks} autosize minRows={2} {...form.text('thanks')} />
            <Switch label={t.forms.active} {...form.check('active')} />
          </Stack>
        </Paper>
      </FormBox>
      <Paper withBorder p="md" component="section" aria-label={t.forms.preview} style={{ alignSelf: 'start' }}>
        <Text fw={600} mb="xs">
          {t.forms.preview}
        </Text>
        <MailFrame html={formPreview(form.values, topics, project)} title={t.forms.preview} pictures />
      </Paper>
    </SimpleGrid>
  )
}
