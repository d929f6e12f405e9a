import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { SESSION } from '../api/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FormBox, useForm } from './form.tsx'
import { SenderField } from './sender-field.tsx'

/** Domains of mailboxes that everyone can have: their records are not for their users to publish. */
const FREE_MAIL =
  /^(gmail|googlemail|outlook|hotmail|live|yahoo|ymail|icloud|aol|gmx|mail|proton|protonmail|web|t-online|freenet|posteo|mailbox)\.(com|de|net|org|me|at|ch|fr|it|es|nl|pl|co\.uk)$/

/** Sets the project's sender where a page needs one. `submit` is the text of the button. */
export function SenderForm({
  submit,
  withPending = false,
  addsDomain = false,
  onDone,
}: {
  readonly submit: string
  /** Whether domains that are still being checked are offered, too. */
  readonly withPending?: boolean
  /** Whether the domain of the address is added to the project where it is missing. */
  readonly addsDomain?: boolean
  readonly onDone?: (email: string) => void
}) {
  const t = useTexts()
  const api = useApi()
  const { id, from } = useProject()
  const queries = useQueryClient()
  const form = useForm({
    initial: { from: from?.email ?? '', fromName: from?.name ?? '' },
    save: async ({ from: email, fromName }) => {
      const name = fromName.trim()
      const sender = { email: email.trim(), ...(name === '' ? {} : { name }) }
      const change = () => answerOf(api.PATCH('/projects/{id}', { params: { path: { id } }, body: { from: sender } }))
      try {
        return await change()
      } catch (error) {
        if (!addsDomain || !(error instanceof ApiError && error.code === 'DOMAIN_NOT_VERIFIED')) throw error
        const domain = sender.email.split('@').at(-1)?.toLowerCase() ?? ''
        if (FREE_MAIL.test(domain)) throw new Error(t.setUp.freeMail(domain))
        await answerOf(api.POST('/domains', { body: { domain } }))
        return await change()
      }
    },
    guard: false,
    changes: addsDomain ? ['domains'] : [],
    async onSaved(changed) {
      await queries.invalidateQueries({ queryKey: SESSION })
      if (changed.from) onDone?.(changed.from.email)
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
