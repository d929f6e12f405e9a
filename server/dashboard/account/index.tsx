import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, apiOf } from '../api/client.ts'
import { SESSION, useSession } from '../api/session.tsx'
import { Answer } from '../parts/answer.tsx'
import { useAuditWords } from '../parts/audit-words.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { BareFrame } from '../shell/bare-frame.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { SecondFactor } from './second-factor.tsx'
import { deviceOf, Sessions } from './sessions.tsx'

/** The person who is signed in, whatever the project. */
export default function Account() {
  const t = useTexts()
  const { user } = useSession()
  return (
    <BareFrame>
      <Page title={t.account.title} narrow>
        {user.host === null ? (
          <Stack>
            <Invitations />
            <Projects />
            <Profile />
            <Password />
            <Box title={t.account.factor}>
              <SecondFactor />
            </Box>
            <Box title={t.account.sessions}>
              <Sessions />
            </Box>
            <Log />
          </Stack>
        ) : (
          <Stack>
            <Projects />
            <HostProfile />
          </Stack>
        )}
      </Page>
    </BareFrame>
  )
}

/** The user who is signed in by the app around the dashboard, which keeps the rest. */
function HostProfile() {
  const t = useTexts()
  const { user } = useSession()
  return (
    <Box title={t.account.profile}>
      <Text>{user.name === null ? user.email : `${user.name} <${user.email}>`}</Text>
      <Text size="sm" c="dimmed" mt="sm">
        {t.account.ofHost}
      </Text>
    </Box>
  )
}

function Profile() {
  const t = useTexts()
  const { user } = useSession()
  const queries = useQueryClient()
  const notices = useNotices()
  const form = useForm({
    initial: { name: user.name ?? '' },
    save: ({ name }) => answerOf(apiOf().PATCH('/users/@me', { body: { name: name.trim() || null } })),
    async onSaved() {
      notices.done(t.account.saved)
      await queries.invalidateQueries({ queryKey: SESSION })
    },
  })
  const again = useAct((api) => api.POST('/auth/request-verification'), { changes: [], done: t.account.sentAgain })
  return (
    <Box title={t.account.profile}>
      {user.emailVerified ? null : (
        <Alert color="yellow" mb="md">
          <Group justify="space-between">
            {t.account.unconfirmed}
            <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
              {t.account.sendAgain}
            </Button>
          </Group>
        </Alert>
      )}
      <FormBox form={form}>
        <TextInput label={t.account.email} value={user.email} readOnly />
        <TextInput label={t.account.name} autoComplete="name" {...form.text('name')} />
      </FormBox>
    </Box>
  )
}

function Password() {
  const t = useTexts()
  const queries = useQueryClient()
  const notices = useNotices()
  const blank = { currentPassword: '', password: '' }
  const form = useForm({
    initial: blank,
    save: (body) => answerOf(apiOf().PATCH('/users/@me', { body })),
    onSaved({ endedSessions }) {
      const ended = endedSessions.map((session) => deviceOf(session, t)).join(', ')
      notices.done(ended === '' ? t.account.passwordChanged : t.account.passwordChangedElsewhere(ended))
      form.reset(blank)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes('sessions') })
    },
  })
  return (
    <Box title={t.account.password}>
      <FormBox form={form} submit={t.account.changePassword}>
        <PasswordField label={t.account.present} autoComplete="current-password" {...form.text('currentPassword')} />
        <PasswordField
          label={t.account.new}
          description={t.account.newHint}
          autoComplete="new-password"
          {...form.text('password')}
        />
      </FormBox>
    </Box>
  )
}

function Projects() {
  const t = useTexts()
  const { projects, user } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const done = async ({ id }: { readonly id: string }) => {
    await queries.invalidateQueries({ queryKey: SESSION })
    navigate(toProject(id, '/'))
  }
  const made = useForm({
    initial: { name: '' },
    save: (body) => answerOf(apiOf().POST('/users/@me/projects', { body })),
    onSaved: (project) => void done(project),
    guard: false,
  })
  const taken = useForm({
    initial: { secretKey: '' },
    save: (body) => answerOf(apiOf().POST('/users/@me/projects', { body })),
    onSaved: (project) => void done(project),
    guard: false,
  })
  return (
    <Box title={t.account.projects}>
      <Stack>
        {projects.length === 0 ? <Text c="dimmed">{t.account.noProjects}</Text> : null}
        {projects.map(({ id, name, role }) => (
          <Group key={id} justify="space-between">
            <Link href={toProject(id, '/')}>{name}</Link>
            <Text size="sm" c="dimmed">
              {role === null ? '' : t.settings.roles[role]}
            </Text>
          </Group>
        ))}
        {user.host === null ? (
          <>
            <FormBox form={made} submit={t.account.makeProject}>
              <TextInput label={t.account.newProject} placeholder={t.account.projectName} {...made.text('name')} />
            </FormBox>
            <FormBox form={taken} submit={t.account.takeOver}>
              <PasswordField
                label={t.account.secretKey}
                description={t.account.takeOverHint}
                autoComplete="off"
                {...taken.text('secretKey')}
              />
            </FormBox>
          </>
        ) : null}
      </Stack>
    </Box>
  )
}

function Invitations() {
  const t = useTexts()
  const queries = useQueryClient()
  const invitations = useAsk(['invitations'], (api, signal) => api.GET('/users/@me/invitations', { signal }))
  const of = (invitationId: string) => ({ params: { path: { invitationId } } })
  const accept = useAct((api, id: string) => api.POST('/users/@me/invitations/{invitationId}/accept', of(id)), {
    changes: ['invitations'],
    onDone: () => void queries.invalidateQueries({ queryKey: SESSION }),
  })
  const decline = useAct((api, id: string) => api.DELETE('/users/@me/invitations/{invitationId}', of(id)), {
    changes: ['invitations'],
  })
  if (!invitations.data || invitations.data.length === 0) return null
  return (
    <Box title={t.account.invitations}>
      {invitations.data.map(({ id, project, role, invitedBy }) => (
        <Group key={id} justify="space-between">
          <Text size="sm">{t.account.invitedTo(project.name, t.settings.roles[role], invitedBy ?? '')}</Text>
          <Group gap="xs">
            <Button size="xs" onClick={() => accept.mutate(id)}>
              {t.account.accept}
            </Button>
            <Button size="xs" variant="default" onClick={() => decline.mutate(id)}>
              {t.account.decline}
            </Button>
          </Group>
        </Group>
      ))}
    </Box>
  )
}

function Log() {
  const t = useTexts()
  const { deed } = useAuditWords()
  const { user } = useSession()
  const log = useAsk(['account', 'audit'], (api, signal) => api.GET('/users/@me/audit', { signal }))
  return (
    <Box title={t.account.log}>
      <Answer of={log}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{t.account.noLog}</Text>
          ) : (
            <Stack gap={4}>
              {data.map(({ id, action, actor, target, timestamp, address }) => (
                <Text size="sm" key={id}>
                  {deed(action)}
                  {target.type === 'users' && target.name !== null && target.id !== user.id ? `: ${target.name}` : ''}{' '}
                  {actor.id === user.id ? '' : `· ${actor.name} `}· <Moment at={timestamp} />{' '}
                  {address === null ? '' : `· ${address}`}
                </Text>
              ))}
            </Stack>
          )
        }
      </Answer>
    </Box>
  )
}

function Box({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}
