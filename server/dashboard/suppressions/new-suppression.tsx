import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'

/** Puts one address on the list. */
export function NewSuppression({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const form = useForm({
    initial: { email: '', detail: '' },
    save: ({ email, detail }) =>
      answerOf(api.POST('/suppressions', { body: { email, ...(detail === '' ? {} : { detail }) } })),
    async onSaved({ email }) {
      notices.done(t.suppressions.added(email))
      onDone()
      await queries.invalidateQueries({ queryKey: [project, 'suppressions'] })
    },
  })
  return (
    <FormBox form={form} submit={t.anywhere.add} onCancel={onDone}>
      <TextInput label={t.suppressions.email} type="email" required data-autofocus {...form.text('email')} />
      <TextInput
        label={t.suppressions.detail}
        description={t.suppressions.detailHint}
        maxLength={500}
        {...form.text('detail')}
      />
    </FormBox>
  )
}
