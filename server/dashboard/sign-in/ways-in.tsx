import { Button, Divider, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { APP_PATH, apiUrl } from '../api/base.ts'
import { answerOf, openApi } from '../api/client.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useFirstTexts } from '../texts/texts.tsx'

/** Asks for the password, and then for a code where the account has a second factor. */
export function PasswordForm({
  email,
  isCodeDue,
  onDone,
}: {
  /** The only person who may sign in here; undefined: anyone. */
  readonly email?: string
  readonly isCodeDue?: (due: boolean) => void
  readonly onDone: () => void
}) {
  const t = useFirstTexts()
  const [token, setToken] = useState<string | undefined>()
  const form = useForm({
    initial: { email: email ?? '', password: '' },
    save: (body) => answerOf(openApi().POST('/auth/login', { body })),
    guard: false,
    onSaved({ data }) {
      if (!('secondFactor' in data)) return onDone()
      setToken(data.token)
      isCodeDue?.(true)
    },
  })
  if (token !== undefined) return <CodeForm token={token} onDone={onDone} />
  return (
    <FormBox form={form} submit={t.signIn.signIn}>
      <TextInput
        label={t.signIn.email}
        type="email"
        autoComplete="username"
        readOnly={email !== undefined}
        data-autofocus={email === undefined ? true : undefined}
        {...form.text('email')}
      />
      <PasswordField
        label={t.signIn.password}
        autoComplete="current-password"
        data-autofocus={email === undefined ? undefined : true}
        {...form.text('password')}
      />
    </FormBox>
  )
}

function CodeForm({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const t = useFirstTexts()
  const form = useForm({
    initial: { code: '' },
    save: ({ code }) => answerOf(openApi().POST('/auth/login/code', { body: { token, code } })),
    guard: false,
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={t.signIn.goOn}>
      <TextInput
        label={t.signIn.code}
        description={t.signIn.codeHint}
        autoComplete="one-time-code"
        autoFocus
        data-autofocus
        {...form.text('code')}
      />
    </FormBox>
  )
}

/** The providers that people can sign in with, and the app around the dashboard, if people sign in there. */
export function useProviders() {
  return useQuery({ queryKey: ['providers'], queryFn: () => answerOf(openApi().GET('/auth/oauth-config')) })
}

interface Elsewhere {
  /** The page of the dashboard to come back to. */
  readonly to: string | null
  /** True where this page must stay as it is. */
  readonly newTab?: boolean
}

/** The way to the app around the dashboard, where people sign in; the form is for accounts of this server. */
export function HostSignIn({ to, newTab = false }: Elsewhere) {
  const t = useFirstTexts()
  const page = useProviders().data?.data.host ?? null
  if (page === null) return null
  const back = encodeURIComponent(APP_PATH + (isPath(to) ? to : '/'))
  return (
    <>
      <Button component="a" href={page.replace('{returnTo}', back)} {...(newTab ? NEW_TAB : {})}>
        {t.signIn.ofHost}
      </Button>
      {newTab ? <ComeBack /> : <Divider label={t.signIn.or} />}
    </>
  )
}

/** The ways to sign in at a provider, as the server is configured. */
export function Providers({ to, newTab = false }: Elsewhere) {
  const t = useFirstTexts()
  const config = useProviders()
  const known = (['github', 'google', 'oidc'] as const).filter((name) => config.data?.data[name])
  if (known.length === 0) return null
  const back = isPath(to) ? `?returnTo=${encodeURIComponent(APP_PATH + to)}` : ''
  return (
    <>
      <Divider label={t.signIn.or} />
      {known.map((name) => (
        <Button
          key={name}
          component="a"
          href={apiUrl(`/auth/oauth/${name}${back}`)}
          variant="default"
          {...(newTab ? NEW_TAB : {})}
        >
          {t.signIn.with(t.signIn.providers[name])}
        </Button>
      ))}
      {newTab ? <ComeBack /> : null}
    </>
  )
}

function ComeBack() {
  return (
    <Text size="sm" c="dimmed">
      {useFirstTexts().signIn.comeBack}
    </Text>
  )
}

const NEW_TAB = { target: '_blank', rel: 'noopener' }

/** Whether this is a page of the dashboard, and no address of another site. */
export function isPath(to: string | null): to is string {
  return to?.startsWith('/') === true && !to.startsWith('//')
}
