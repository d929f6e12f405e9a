import { Switch, TextInput } from '@mantine/core'
import { answerOf } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Adds one contact by hand. */
export function NewContact({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const form = useForm({
    initial: { email: '', subscribed: true },
    save: (body) => answerOf(api.POST('/contacts', { body })),
    changes: ['contacts'],
    done: ({ email }) => t.contacts.added(email),
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={t.anywhere.add} onCancel={onDone}>
      <TextInput label={t.contacts.address} type="email" required data-autofocus {...form.text('email')} />
      <Switch label={t.contacts.subscribed} {...form.check('subscribed')} />
    </FormBox>
  )
}
