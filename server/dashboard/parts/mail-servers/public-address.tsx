import { Alert, Paper, Text, TextInput } from '@mantine/core'
import { useAsk } from '../../api/ask.ts'
import { answerOf, type components } from '../../api/client.ts'
import { useApi } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Answer } from '../answer.tsx'
import { FormBox, useForm } from '../form.tsx'

type Address = components['schemas']['PublicAddress']

/** The address at which readers reach this server, by the links in their mails. */
export function PublicAddress() {
  const asked = useAsk(['public-address'], (api, signal) => api.GET('/users/@me/operator/public-address', { signal }))
  return <Answer of={asked}>{(address) => <AddressForm address={address} />}</Answer>
}

function AddressForm({ address }: { readonly address: Address }) {
  const t = useTexts()
  const api = useApi()
  const { url, set, setBy, problem } = address
  const form = useForm({
    initial: { url: set ?? '' },
    save: (values) =>
      answerOf(api.PUT('/users/@me/operator/public-address', { body: { url: values.url.trim() || null } })),
    guard: false,
    changes: ['public-address'],
  })
  if (setBy !== undefined)
    return (
      <Alert color="blue">
        {t.mailServers.addressSetBy(url ?? '–', setBy === 'code' ? t.mailServers.code : setBy)}
      </Alert>
    )
  return (
    <Paper withBorder p="md">
      <FormBox form={form}>
        <TextInput
          label={t.mailServers.address}
          description={t.mailServers.addressHint}
          placeholder={window.location.origin}
          type="url"
          {...form.text('url')}
        />
        <Text size="sm" c="dimmed">
          {t.mailServers.addressNow(url ?? '–')}
        </Text>
        {problem === undefined ? null : <Alert color="yellow">{t.mailServers.addressLost}</Alert>}
      </FormBox>
    </Paper>
  )
}
