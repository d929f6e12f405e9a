import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { answerOf, apiOf, type components } from '../api/client.ts'
import { useSession } from '../api/session.tsx'
import { LinkToCopy } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'

type Account = components['schemas']['Account']

/** The person in the panel, and what lets that person in again. */
interface Asked {
  readonly account: Account
  readonly by: 'link' | 'factor'
}

/** All accounts of the server. Those who have lost a password or a device are let in again. */
export function People() {
  const t = useTexts()
  const { user } = useSession()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  return (
    <Page title={t.people.title} hint={t.people.hint} trail={[{ text: t.operator.title, href: '/' }]}>
      <List<Account>
        noun="people"
        label={t.people.title}
        search={t.people.search}
        ask={(api, query, signal) => api.GET('/users/@me/operator/users', { params: { query }, signal })}
        rowName={({ email }) => email}
        columns={[
          { key: 'email', title: t.settings.email, cell: ({ email, name }) => (name ? `${name} <${email}>` : email) },
          {
            key: 'status',
            title: t.anywhere.status,
            cell: ({ emailVerified }) =>
              emailVerified ? t.people.confirmed : <Pill status="PENDING" text={t.people.unconfirmed} />,
          },
          {
            key: 'secondFactor',
            title: t.account.factor,
            cell: ({ secondFactor }) => (secondFactor ? t.people.on : t.people.off),
          },
          { key: 'createdAt', title: t.people.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
        rowActions={(account) =>
          account.id === user.id ? null : (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <Button size="compact-xs" variant="subtle" onClick={() => setAsked({ account, by: 'link' })}>
                {t.people.newPassword}
              </Button>
              {account.secondFactor ? (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  onClick={() => setAsked({ account, by: 'factor' })}
                >
                  {t.people.removeFactor}
                </Button>
              ) : null}
            </Group>
          )
        }
        empty={<Empty title={t.anywhere.none} />}
      />
      <SidePanel
        title={asked?.by === 'factor' ? t.people.removeFactor : t.people.newPassword}
        opened={asked !== undefined}
        onClose={close}
      >
        {asked?.by === 'link' ? <NewPassword account={asked.account} onDone={close} /> : null}
        {asked?.by === 'factor' ? <RemoveFactor account={asked.account} onDone={close} /> : null}
      </SidePanel>
    </Page>
  )
}

interface AskedProps {
  readonly account: Account
  readonly onDone: () => void
}

/** Makes a link and shows it, once. */
function NewPassword({ account: { id: userId, email }, onDone }: AskedProps) {
  const t = useTexts()
  const formats = useFormats()
  const { user } = useSession()
  const [made, setMade] = useState<components['schemas']['PasswordLink']>()
  const form = useForm({
    initial: { password: '' },
    save: (values) => {
      const asked = { params: { path: { userId } }, body: user.hasPassword ? values : {} }
      return answerOf(apiOf().POST('/users/@me/operator/users/{userId}/password-link', asked))
    },
    onSaved: setMade,
    guard: false,
  })
  if (made === undefined) {
    return (
      <FormBox form={form} submit={t.people.makeLink} always onCancel={onDone}>
        <Text size="sm">{t.people.linkHint(email)}</Text>
        {user.hasPassword ? <OwnPassword {...form.text('password')} /> : null}
      </FormBox>
    )
  }
  return (
    <Stack>
      <Alert color="teal" title={t.people.linkMade} role="status">
        {t.people.linkUntil(formats.time(made.expiresAt))}
      </Alert>
      <LinkToCopy value={made.url} label={t.people.copyLink} />
      <Button variant="default" onClick={onDone} w="fit-content">
        {t.anywhere.close}
      </Button>
    </Stack>
  )
}

function RemoveFactor({ account: { id: userId, email }, onDone }: AskedProps) {
  const t = useTexts()
  const { user } = useSession()
  const form = useForm({
    initial: { password: '' },
    save: (values) => {
      const asked = { params: { path: { userId } }, body: user.hasPassword ? values : {} }
      return answerOf(apiOf().DELETE('/users/@me/operator/users/{userId}/totp', asked))
    },
    changes: ['people'],
    done: () => t.people.factorRemoved(email),
    onSaved: onDone,
    guard: false,
  })
  return (
    <FormBox form={form} submit={t.people.removeFactor} always onCancel={onDone}>
      <Text size="sm">{t.people.factorHint(email)}</Text>
      {user.hasPassword ? <OwnPassword {...form.text('password')} /> : null}
    </FormBox>
  )
}

function OwnPassword(props: Parameters<typeof PasswordField>[0]) {
  const t = useTexts()
  return <PasswordField label={t.people.ownPassword} autoComplete="current-password" data-autofocus {...props} />
}
