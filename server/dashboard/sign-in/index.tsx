import {
  Alert,
  Anchor,
  Button,
  Center,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation, useSearch } from 'wouter'
import { APP_PATH, apiUrl } from '../api/base.ts'
import { answerOf, apiOf } from '../api/client.ts'
import { SESSION } from '../api/session.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { toApp } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** The pages of whoever is not signed in. */
export default function SignIn() {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Switch>
          <Route path="/forgotten">
            <Forgotten />
          </Route>
          <Route>
            <Password />
          </Route>
        </Switch>
      </Paper>
    </Center>
  )
}

function Password() {
  const t = useTexts()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const to = new URLSearchParams(useSearch()).get('to')
  const [token, setToken] = useState<string | undefined>()
  const goOn = async () => {
    await queries.resetQueries({ queryKey: SESSION })
    navigate(toApp(isPath(to) ? to : '/'))
  }
  const providers = useProviders()
  const setUp = useQuery({ queryKey: ['set-up'], queryFn: () => answerOf(apiOf().GET('/auth/setup')) })
  const form = useForm({
    initial: { email: '', password: '' },
    save: (body) => answerOf(apiOf().POST('/auth/login', { body })),
    guard: false,
    onSaved({ data }) {
      if ('secondFactor' in data) setToken(data.token)
      else void goOn()
    },
  })
  if (token !== undefined) return <SecondFactor token={token} onDone={() => void goOn()} />
  return (
    <Box title={t.signIn.title}>
      {to === null ? null : (
        <Text size="sm" c="dimmed">
          {t.signIn.ended}
        </Text>
      )}
      <HostSignIn to={to} />
      {setUp.data?.data.needed && providers.data?.data.host === null ? (
        <Alert color="blue" title={t.signIn.noUsers}>
          {t.signIn.noUsersHint}
        </Alert>
      ) : null}
      <FormBox form={form} submit={t.signIn.signIn}>
        <TextInput label={t.signIn.email} type="email" autoComplete="username" data-autofocus {...form.text('email')} />
        <PasswordInput label={t.signIn.password} autoComplete="current-password" {...form.text('password')} />
      </FormBox>
      <Anchor component={Link} href="/forgotten" size="sm">
        {t.signIn.forgotten}
      </Anchor>
      <Providers to={to} />
    </Box>
  )
}

function SecondFactor({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const t = useTexts()
  const form = useForm({
    initial: { code: '' },
    save: ({ code }) => answerOf(apiOf().POST('/auth/login/code', { body: { token, code } })),
    guard: false,
    onSaved: onDone,
  })
  return (
    <Box title={t.signIn.codeTitle}>
      <FormBox form={form} submit={t.signIn.goOn}>
        <TextInput
          label={t.signIn.code}
          description={t.signIn.codeHint}
          autoComplete="one-time-code"
          data-autofocus
          {...form.text('code')}
        />
      </FormBox>
    </Box>
  )
}

/** The providers that people can sign in with, and the app around the dashboard, if people sign in there. */
function useProviders() {
  return useQuery({ queryKey: ['providers'], queryFn: () => answerOf(apiOf().GET('/auth/oauth-config')) })
}

/** The way to the app around the dashboard, where people sign in; the form is for accounts of this server. */
function HostSignIn({ to }: { readonly to: string | null }) {
  const t = useTexts()
  const page = useProviders().data?.data.host ?? null
  if (page === null) return null
  const back = encodeURIComponent(APP_PATH + (isPath(to) ? to : '/'))
  return (
    <>
      <Button component="a" href={page.replace('{returnTo}', back)}>
        {t.signIn.ofHost}
      </Button>
      <Divider label={t.signIn.or} />
    </>
  )
}

/** Whether this is a page of the dashboard, and no address of another site. */
function isPath(to: string | null): to is string {
  return to?.startsWith('/') === true && !to.startsWith('//')
}

/** The ways to sign in at a provider, as the server is configured. */
function Providers({ to }: { readonly to: string | null }) {
  const t = useTexts()
  const config = useProviders()
  const known = (['github', 'google', 'oidc'] as const).filter((name) => config.data?.data[name])
  if (known.length === 0) return null
  const back = isPath(to) ? `?returnTo=${encodeURIComponent(APP_PATH + to)}` : ''
  return (
    <>
      <Divider label={t.signIn.or} />
      {known.map((name) => (
        <Button key={name} component="a" href={apiUrl(`/auth/oauth/${name}${back}`)} variant="default">
          {t.signIn.with(t.signIn.providers[name])}
        </Button>
      ))}
    </>
  )
}

function Forgotten() {
  const t = useTexts()
  const [isSent, setSent] = useState(false)
  const form = useForm({
    initial: { email: '' },
    save: (body) => answerOf(apiOf().POST('/auth/request-password-reset', { body })),
    guard: false,
    onSaved: () => setSent(true),
  })
  return (
    <Box title={t.signIn.resetTitle}>
      {isSent ? (
        <Text role="status">{t.signIn.resetSent}</Text>
      ) : (
        <FormBox form={form} submit={t.signIn.resetSend}>
          <Text size="sm" c="dimmed">
            {t.signIn.resetHint}
          </Text>
          <TextInput
            label={t.signIn.email}
            type="email"
            autoComplete="username"
            data-autofocus
            {...form.text('email')}
          />
        </FormBox>
      )}
      <Anchor component={Link} href="/" size="sm">
        {t.signIn.back}
      </Anchor>
    </Box>
  )
}

function Box({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Mailwright`
  }, [title])
  return (
    <Stack>
      <Title order={1} size="h3">
        {title}
      </Title>
      {children}
    </Stack>
  )
}
