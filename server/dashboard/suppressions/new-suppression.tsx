import { TextInput } from '@mantine/core'
import { answerOf } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Puts one address on the list. */
export function NewSuppression({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const form = useForm({
    initial: { email: '', detail: '' },
    save: ({ email, detail }) =>
      answerOf(api.POST('/suppressions', { body: { email, ...(detail === '' ? {} : { detail }) } })),
    changes: ['suppressions'],
    done: ({ email }) => t.suppressions.added(email),
    onSaved: onDone,
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
