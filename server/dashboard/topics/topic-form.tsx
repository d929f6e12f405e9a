import { Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useRenaming } from '../parts/rename.ts'
import { useTexts } from '../texts/texts.tsx'

export type Topic = components['schemas']['Topic']

/** Makes a topic, or changes one. */
export function TopicForm({ topic, onDone }: { readonly topic?: Topic; readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const renaming = useRenaming()
  const form = useForm({
    initial: {
      name: topic?.name ?? '',
      description: topic?.description ?? '',
      slug: topic?.slug ?? '',
      standing: topic?.standing ?? ('out' as const),
      public: topic?.public ?? true,
      archived: topic?.archived ?? false,
    },
    save: ({ description, slug, archived, ...values }) => {
      const body = { ...values, description: description.trim() || null, ...(slug.trim() === '' ? {} : { slug }) }
      return topic
        ? renaming((more) =>
            answerOf(
              api.PATCH('/topics/{id}', { params: { path: { id: topic.id } }, body: { ...body, archived, ...more } }),
            ),
          )
        : answerOf(api.POST('/topics', { body }))
    },
    changes: ['topics'],
    done: ({ name }) => t.topics.saved(name),
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={topic ? t.anywhere.save : t.topics.make} onCancel={onDone}>
      <TextInput label={t.topics.name} required maxLength={100} data-autofocus {...form.text('name')} />
      <Textarea
        label={t.topics.description}
        description={t.topics.descriptionHint}
        autosize
        minRows={2}
        maxLength={500}
        {...form.text('description')}
      />
      <Radio.Group
        label={t.topics.standing}
        value={form.values.standing}
        onChange={(standing) => form.set('standing', standing === 'in' ? 'in' : 'out')}
        error={form.errorOf('standing')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="out" label={t.topics.standingOut} />
          <Radio value="in" label={t.topics.standingIn} />
        </Stack>
      </Radio.Group>
      <Switch label={t.topics.public} description={t.topics.publicHint} {...form.check('public')} />
      {topic ? (
        <Switch label={t.topics.archive} description={t.topics.archiveHint} {...form.check('archived')} />
      ) : null}
      <TextInput
        label={t.topics.slug}
        description={topic ? t.topics.slugChangeHint : t.topics.slugHint}
        maxLength={64}
        {...form.text('slug')}
      />
    </FormBox>
  )
}
