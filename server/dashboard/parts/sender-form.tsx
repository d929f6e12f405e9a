import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { SESSION } from '../api/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FormBox, useForm } from './form.tsx'
import { SenderField } from './sender-field.tsx'

/** Sets the project's sender where a page needs one. `submit` is the text of the button. */
export function SenderForm({
  submit,
  withPending = false,
  onDone,
}: {
  readonly submit: string
  /** Whether domains that are still being checked are offered, too. */
  readonly withPending?: boolean
  readonly onDone?: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const { id, from } = useProject()
  const queries = useQueryClient()
  const form = useForm({
    initial: { from: from?.email ?? '', fromName: from?.name ?? '' },
    save: ({ from: email, fromName }) => {
      const name = fromName.trim()
      const sender = { email: email.trim(), ...(name === '' ? {} : { name }) }
      return answerOf(api.PATCH('/projects/{id}', { params: { path: { id } }, body: { from: sender } }))
    },
    guard: false,
    async onSaved() {
      await queries.invalidateQueries({ queryKey: SESSION })
      onDone?.()
    },
  })
  return (
    <FormBox form={form} submit={submit}>
      <SenderField
        value={form.values.from}
        onChange={(value) => form.set('from', value)}
        withPending={withPending}
        error={form.errorOf('from')}
      />
      <TextInput label={t.settings.senderName} {...form.text('fromName')} />
    </FormBox>
  )
}
