import { TextInput } from '@mantine/core'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Gives a key another name; what it may do stays. */
export function RenameKey({
  of,
  onDone,
}: {
  readonly of: Pick<components['schemas']['ApiKey'], 'id' | 'name'>
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const form = useForm({
    initial: { name: of.name },
    save: ({ name }) =>
      answerOf(
        api.PATCH('/projects/{id}/keys/{keyId}', {
          params: { path: { id: project, keyId: of.id } },
          body: { name },
        }),
      ),
    changes: ['keys'],
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={t.anywhere.save} onCancel={onDone} shown={['name']}>
      <TextInput
        label={t.settings.keyName}
        description={t.settings.keyNameHint}
        required
        data-autofocus
        {...form.text('name')}
      />
    </FormBox>
  )
}
