import { Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'

/** Adds one contact by hand. */
export function NewContact({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const form = useForm({
    initial: { email: '', subscribed: true },
    save: (body) => answerOf(api.POST('/contacts', { body })),
    async onSaved({ email }) {
      notices.done(t.contacts.added(email))
      onDone()
      await queries.invalidateQueries({ queryKey: [project, 'contacts'] })
    },
  })
  return (
    <FormBox form={form} submit={t.anywhere.add} onCancel={onDone}>
      <TextInput label={t.contacts.address} type="email" required data-autofocus {...form.text('email')} />
      <Switch label={t.contacts.subscribed} {...form.check('subscribed')} />
    </FormBox>
  )
}
