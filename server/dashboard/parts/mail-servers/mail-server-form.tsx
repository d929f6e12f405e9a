import { Alert, Anchor, Button, Collapse, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useAsk } from '../../api/ask.ts'
import { answerOf } from '../../api/client.ts'
import { useApi } from '../../api/project.tsx'
import { useSession } from '../../api/session.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { FormBox, useForm } from '../form.tsx'
import { PasswordField } from '../password-field.tsx'
import { ProviderMark } from './provider-mark.tsx'
import { DIRECT, type MailServer, type MailServerList, type Owner, REQUESTS, type Trial } from './queries.ts'
import { TrialResult } from './trial-result.tsx'

type Security = MailServer['security']

/** The choice for a server that is no known provider. */
const OTHER = 'other'

interface Values {
  readonly provider: string
  readonly name: string
  readonly host: string
  readonly port: number | string
  readonly security: Security | ''
  readonly user: string
  readonly password: string
}

/** The fields of the API: what is empty is left to the provider, and to what is stored. */
function bodyOf({ provider, name, host, port, security, user, password }: Values, isStored: boolean) {
  const none = isStored ? null : undefined
  // a login does not go with it, and the API leaves that of a server behind
  if (provider === DIRECT)
    return { preset: provider, host: host.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) }
  return {
    preset: provider === OTHER ? none : provider,
    host: host.trim() || none,
    port: typeof port === 'number' ? port : none,
    security: security === '' ? none : security,
    user: user.trim() || none,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    // one that was not typed stays as it is stored
    ...(password === '' ? {} : { password }),
  }
}

/** A mail server: the provider, the login, a test that says what is wrong, and a test mail. It is tested before it is saved. */
export function MailServerForm({
  owner,
  server,
  presets,
  sender,
  onSaved,
  onCancel,
}: {
  readonly owner: Owner
  readonly server?: MailServer
  readonly presets: MailServerList['presets']
  /** Whom a test mail comes from unless something else is typed. */
  readonly sender?: string | undefined
  readonly onSaved: () => void
  readonly onCancel?: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const { language } = useLanguage()
  const { user: person } = useSession()
  const [tried, setTrial] = useState<{ readonly result: Trial; readonly to: string | undefined; readonly of: string }>()
  const [isTrying, setTrying] = useState<'connection' | 'mail' | undefined>()
  /** True once something was changed while a test ran, so that its answer is about what is gone. */
  const [isOutrun, setOutrun] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [to, setTo] = useState(person.email)
  const [from, setFrom] = useState(sender ?? '')
  const requests = REQUESTS[owner]
  const ownName = useOwnName(owner)
  const usual = presets.find(({ name }) => name === server?.preset)
  const form = useForm<Values, MailServer>({
    initial: {
      provider: server === undefined ? '' : (server.preset ?? OTHER),
      name: server?.name ?? '',
      // as the provider says it, a field is empty
      host: server === undefined || server.host === usual?.host ? '' : server.host,
      port: server === undefined || server.port === usual?.port ? '' : server.port,
      security: server === undefined || server.security === usual?.security ? '' : server.security,
      user: server?.user ?? '',
      password: '',
    },
    save: (values) => {
      const body = bodyOf(values, server !== undefined)
      return answerOf(server === undefined ? requests.add(api, body) : requests.change(api, server.id, body))
    },
    guard: false,
    onSaved,
  })
  const { provider } = form.values
  // a result says nothing of what was typed since
  const trial = tried?.of === JSON.stringify(form.values) ? tried : undefined
  const preset = presets.find(({ name }) => name === provider)
  const isOther = provider === OTHER
  const isDirect = provider === DIRECT

  /** Answers whether it works. */
  const test = async (mail: boolean): Promise<boolean> => {
    setTrying(mail ? 'mail' : 'connection')
    setTrial(undefined)
    setOutrun(false)
    form.refuse(undefined)
    const of = JSON.stringify(form.values)
    try {
      const body = {
        ...bodyOf(form.values, server !== undefined),
        ...(server === undefined ? {} : { id: server.id }),
        ...(mail ? { to: to.trim(), ...(from.trim() === '' ? {} : { from: from.trim() }) } : {}),
        language,
      }
      const result = await answerOf(requests.test(api, body))
      setTrial({ result, to: mail ? to.trim() : undefined, of })
      const isSame = JSON.stringify(form.current().values) === of
      setOutrun(!isSame)
      // who saves it all the same has read the warnings
      return result.ok && result.warnings === undefined && isSame
    } catch (error) {
      form.refuse(error as Error)
      return false
    } finally {
      setTrying(undefined)
    }
  }
  const isRefused = (name: string) =>
    form.error instanceof ApiError && form.error.fields.some(({ field }) => field === name)
  const isDoubtful = trial !== undefined && (!trial.result.ok || trial.result.warnings !== undefined)
  return (
    <FormBox
      form={form}
      {...(onCancel === undefined ? {} : { onCancel })}
      shown={['preset', 'name', 'host', 'port', 'security', 'user', 'password', 'from', 'to']}
      actions={
        <>
          {isDoubtful ? (
            <Button variant="subtle" onClick={() => void form.submit()} loading={form.isBusy}>
              {t.mailServers.saveAnyway}
            </Button>
          ) : null}
          <Button
            loading={form.isBusy || isTrying !== undefined}
            disabled={provider === ''}
            onClick={async () => {
              if (await test(false)) await form.submit()
            }}
          >
            {t.mailServers.save}
          </Button>
        </>
      }
    >
      <Select
        label={t.mailServers.provider}
        description={t.mailServers.providerHint}
        placeholder={t.mailServers.choose}
        required
        searchable
        nothingFoundMessage={t.mailServers.noneFound}
        leftSection={provider === '' ? undefined : <ProviderMark provider={preset?.provider} />}
        leftSectionWidth={44}
        data={[
          { value: OTHER, label: t.mailServers.other },
          ...(owner === 'installation' ? [{ value: DIRECT, label: t.mailServers.direct }] : []),
          ...presets.map(({ name, provider: label }) => ({ value: name, label })),
        ]}
        renderOption={({ option }) => (
          <Group gap="xs">
            <ProviderMark provider={presets.find(({ name }) => name === option.value)?.provider} />
            {option.label}
          </Group>
        )}
        value={provider || null}
        onChange={(value) => {
          setTrial(undefined)
          // the name of this machine is no server, and the other way round
          const isTurned = (value === DIRECT) !== isDirect
          const place = { host: value === DIRECT ? ownName : '', port: '', security: '' } as const
          form.setAll({ provider: value ?? '', ...(isTurned ? place : {}) })
        }}
        error={form.errorOf('preset')}
      />
      {provider === '' ? null : (
        <>
          {preset ? (
            <Text size="sm">
              {t.mailServers.hintOf(preset.name)}{' '}
              {preset.keyPage === undefined ? null : (
                <Anchor href={preset.keyPage} target="_blank" rel="noreferrer" size="sm">
                  {t.mailServers.keyPage(preset.provider)}
                </Anchor>
              )}
            </Text>
          ) : null}
          {isOther ? <Place form={form} /> : null}
          {isDirect ? <Machine form={form} /> : null}
          {preset?.user === undefined && !isDirect ? (
            <TextInput
              label={t.mailServers.user}
              description={t.mailServers.userHint}
              autoComplete="off"
              required={preset?.needsLogin === true}
              {...form.text('user')}
            />
          ) : null}
          {isDirect ? null : (
            <PasswordField
              label={t.mailServers.password}
              description={server?.hasPassword ? t.mailServers.passwordStored : t.mailServers.passwordHint}
              autoComplete="new-password"
              required={preset?.needsLogin === true && !server?.hasPassword}
              {...form.text('password')}
            />
          )}
          <Group>
            <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {t.mailServers.more}
            </Button>
          </Group>
          <Collapse
            expanded={isOpen || isRefused('name') || (preset !== undefined && (isRefused('host') || isRefused('port')))}
          >
            <Stack>
              <TextInput
                label={t.mailServers.name}
                description={isDirect ? t.mailServers.directNameHint : t.mailServers.nameHint}
                {...form.text('name')}
              />
              {preset ? <Place form={form} preset={preset} /> : null}
            </Stack>
          </Collapse>
          <Stack gap="xs">
            <Text fw={600} size="sm">
              {t.mailServers.test}
            </Text>
            <Group>
              <Button
                variant="default"
                leftSection={<IconPlugConnected size={16} />}
                loading={isTrying === 'connection'}
                onClick={() => void test(false)}
              >
                {t.mailServers.testConnection}
              </Button>
            </Group>
            <Group align="flex-start">
              <TextInput
                label={t.mailServers.testTo}
                w={{ base: '100%', xs: 200 }}
                type="email"
                value={to}
                onChange={({ currentTarget }) => setTo(currentTarget.value)}
                error={form.errorOf('to')}
              />
              <TextInput
                label={t.mailServers.testFrom}
                w={{ base: '100%', xs: 200 }}
                type="email"
                placeholder={form.values.user.includes('@') ? form.values.user : undefined}
                value={from}
                onChange={({ currentTarget }) => setFrom(currentTarget.value)}
                error={form.errorOf('from')}
              />
              <Button variant="default" mt={{ xs: 22 }} loading={isTrying === 'mail'} onClick={() => void test(true)}>
                {t.mailServers.sendTest}
              </Button>
            </Group>
            {isOutrun ? (
              <Alert color="yellow" role="alert" p="xs">
                {t.mailServers.outrun}
              </Alert>
            ) : null}
            {trial === undefined ? null : (
              <TrialResult
                trial={trial.result}
                preset={preset}
                sentTo={trial.to}
                provider={provider}
                hasLogin={form.values.user.trim() !== '' || preset?.user !== undefined}
              />
            )}
          </Stack>
        </>
      )}
    </FormBox>
  )
}

/** The name of this machine, which hands mail over itself, and what else that needs. */
function Machine({ form }: { readonly form: ReturnType<typeof useForm<Values, MailServer>> }) {
  const t = useTexts()
  return (
    <>
      <Text size="sm">{t.mailServers.directHint}</Text>
      <Text size="sm" c="dimmed">
        {t.mailServers.directMore}
      </Text>
      <TextInput
        label={t.mailServers.machine}
        description={t.mailServers.machineHint}
        placeholder="mail.example.com"
        required
        {...form.text('host')}
      />
    </>
  )
}

/** The host of the public address, where that is a full name in the DNS; otherwise an empty text. */
function useOwnName(owner: Owner): string {
  const asked = useAsk(['public-address'], (api, signal) => api.GET('/users/@me/operator/public-address', { signal }), {
    enabled: owner === 'installation',
  })
  const host = URL.parse(asked.data?.url ?? '')?.hostname ?? ''
  return /^(?!.*localhost$).+\.[a-z][a-z\d-]*$/i.test(host) ? host : ''
}

/** Where the server is. What a provider says stands in the empty fields. */
function Place({
  form,
  preset,
}: {
  readonly form: ReturnType<typeof useForm<Values, MailServer>>
  readonly preset?: MailServerList['presets'][number]
}) {
  const t = useTexts()
  const { port } = form.values
  const usual = (port === '' ? preset?.security : undefined) ?? (port === 465 ? 'tls' : 'starttls')
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <TextInput
        label={t.mailServers.host}
        placeholder={preset?.host ?? 'smtp.example.com'}
        required={preset === undefined}
        {...form.text('host')}
      />
      <NumberInput
        label={t.mailServers.port}
        placeholder={String(preset?.port ?? 587)}
        min={1}
        max={65_535}
        allowDecimal={false}
        hideControls
        maw={120}
        {...form.field('port')}
      />
      <Select
        label={t.mailServers.security}
        placeholder={t.mailServers.securities[usual]}
        data={(['starttls', 'tls', 'none'] as const).map((value) => ({
          value,
          label: t.mailServers.securities[value],
        }))}
        clearable
        value={form.values.security || null}
        onChange={(value) => form.set('security', (value ?? '') as Values['security'])}
        error={form.errorOf('security')}
      />
    </Group>
  )
}
