import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconMailbox, IconPlus } from '@tabler/icons-react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type Mailbox = components['schemas']['SeedMailbox']
const SECURITIES = ['tls', 'starttls', 'none'] as const

/** The mailboxes of one's own at receivers, which show where the mail of campaigns lands. */
export function SeedMailboxes() {
  const t = useTexts()
  const confirm = useConfirm()
  const { values, change } = useAddress()
  const mailboxes = useAsk<readonly Mailbox[]>(['seeds'], (api, signal) => api.GET('/seeds/mailboxes', { signal }))
  const remove = useAct((api, id: string) => api.DELETE('/seeds/mailboxes/{id}', { params: { path: { id } } }), {
    changes: ['seeds'],
    done: t.seeds.removed,
  })
  const ask = async ({ id, address }: Mailbox) => {
    const question = { title: t.seeds.removeTitle(address), text: t.seeds.removeHint, yes: t.seeds.remove, grave: true }
    if (await confirm(question)) remove.mutate(id)
  }
  return (
    <Stack maw={720}>
      <Text size="sm" c="dimmed">
        {t.seeds.hint}
      </Text>
      <Group>
        <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
          {t.seeds.add}
        </Button>
      </Group>
      <Answer of={mailboxes}>
        {(found) => (
          <DataTable
            name="seeds"
            label={t.settings.tabs.seeds}
            rows={found}
            rowName={({ address }) => address}
            columns={[
              { key: 'address', title: t.seeds.address, cell: ({ address }) => address },
              { key: 'host', title: t.seeds.host, cell: ({ host, port }) => `${host}:${port}` },
              { key: 'user', title: t.seeds.user, cell: ({ user }) => user },
            ]}
            rowActions={(mailbox) => (
              <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(mailbox)}>
                {t.seeds.remove}
              </Button>
            )}
            empty={<Empty icon={<IconMailbox />} title={t.seeds.none} hint={t.seeds.noneHint} />}
          />
        )}
      </Answer>
      <SidePanel opened={values.new === '1'} title={t.seeds.add} onClose={() => change({ new: undefined })}>
        <NewMailbox onDone={() => change({ new: undefined })} />
      </SidePanel>
    </Stack>
  )
}

function NewMailbox({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const form = useForm({
    initial: { address: '', host: '', port: '', security: 'tls', user: '', password: '' },
    save: ({ address, host, port, security, user, password }) =>
      answerOf(
        api.POST('/seeds/mailboxes', {
          body: {
            address,
            host,
            password,
            security: SECURITIES.find((each) => each === security) ?? 'tls',
            ...(port === '' ? {} : { port: Number(port) }),
            ...(user === '' ? {} : { user }),
          },
        }),
      ),
    changes: ['seeds'],
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={t.seeds.add} onCancel={onDone}>
      <TextInput label={t.seeds.address} type="email" required data-autofocus {...form.text('address')} />
      <TextInput label={t.seeds.host} placeholder="imap.gmail.com" required {...form.text('host')} />
      <PasswordField label={t.seeds.password} description={t.seeds.passwordHint} required {...form.text('password')} />
      <TextInput label={t.seeds.user} description={t.seeds.userHint} {...form.text('user')} />
      <Select
        label={t.mailServers.security}
        data={SECURITIES.map((value) => ({ value, label: t.mailServers.securities[value] }))}
        allowDeselect={false}
        value={form.values.security}
        onChange={(security) => form.set('security', security ?? 'tls')}
        error={form.errorOf('security')}
      />
      <TextInput
        label={t.mailServers.port}
        placeholder={form.values.security === 'tls' ? '993' : '143'}
        inputMode="numeric"
        {...form.text('port')}
      />
    </FormBox>
  )
}
