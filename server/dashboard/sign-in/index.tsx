import { Alert, Anchor, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation, useSearch } from 'wouter'
import { answerOf, openApi } from '../api/client.ts'
import { noteSignedIn } from '../api/ended.ts'
import { SESSION } from '../api/session.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { toApp } from '../shell/to-app.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { HostSignIn, isPath, PasswordForm, Providers, useProviders } from './ways-in.tsx'

/** The pages without a session. */
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
  const t = useFirstTexts()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const to = new URLSearchParams(useSearch()).get('to')
  const [isCodeDue, setCodeDue] = useState(false)
  const goOn = async () => {
    await queries.resetQueries({ queryKey: SESSION })
    noteSignedIn()
    navigate(toApp(isPath(to) ? to : '/'))
  }
  const providers = useProviders()
  const setUp = useQuery({ queryKey: ['set-up'], queryFn: () => answerOf(openApi().GET('/auth/setup')) })
  return (
    <Box title={isCodeDue ? t.signIn.codeTitle : t.signIn.title}>
      {isCodeDue ? null : (
        <>
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
        </>
      )}
      <PasswordForm isCodeDue={setCodeDue} onDone={() => void goOn()} />
      {isCodeDue ? null : (
        <>
          <Anchor component={Link} href="/forgotten" size="sm">
            {t.signIn.forgotten}
          </Anchor>
          <Providers to={to} />
        </>
      )}
    </Box>
  )
}

function Forgotten() {
  const t = useFirstTexts()
  const [isSent, setSent] = useState(false)
  const form = useForm({
    initial: { email: '' },
    save: (body) => answerOf(openApi().POST('/auth/request-password-reset', { body })),
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
