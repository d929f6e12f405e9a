import { Alert, Button, Code, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { answerOf, apiOf } from '../api/client.ts'
import { SESSION, useSession } from '../api/session.tsx'
import { Copy } from '../parts/copy.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { saveFile } from '../parts/save-file.ts'
import { useTexts } from '../texts/texts.tsx'
import style from './second-factor.module.css'

interface Secret {
  readonly secret: string
  readonly url: string
}

/** Where the person is; `undefined`: nothing is being changed. */
type Step =
  | { readonly name: 'password' }
  | { readonly name: 'scan'; readonly secret: Secret }
  | { readonly name: 'codes'; readonly codes: readonly string[] }
  | { readonly name: 'renew' }
  | { readonly name: 'off' }

/** Turns the second factor on and off, and makes new recovery codes. */
export function SecondFactor() {
  const t = useTexts()
  const { user } = useSession()
  const queries = useQueryClient()
  const [step, setStep] = useState<Step | undefined>()
  const end = () => setStep(undefined)
  // the change has ended the other sessions
  const refresh = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] === SESSION[0] || queryKey.includes('sessions'),
    })
  const showCodes = (codes: readonly string[]) => {
    setStep({ name: 'codes', codes })
    void refresh()
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {user.secondFactor ? t.account.factorOn : t.account.factorHint}
      </Text>
      {step === undefined && user.recoveryCodesLeft !== null ? <CodesLeft count={user.recoveryCodesLeft} /> : null}
      {step?.name === 'password' ? (
        <AskPassword onSecret={(secret) => setStep({ name: 'scan', secret })} onCancel={end} />
      ) : step?.name === 'scan' ? (
        <Scan secret={step.secret} onCodes={showCodes} onCancel={end} />
      ) : step?.name === 'codes' ? (
        <RecoveryCodes codes={step.codes} onKept={end} />
      ) : step?.name === 'renew' ? (
        <Renew onCodes={showCodes} onCancel={end} />
      ) : step?.name === 'off' ? (
        <TurnOff
          onDone={() => {
            end()
            void refresh()
          }}
          onCancel={end}
        />
      ) : user.secondFactor ? (
        <Group>
          <Button variant="default" onClick={() => setStep({ name: 'renew' })}>
            {t.account.renewCodes}
          </Button>
          <Button variant="default" onClick={() => setStep({ name: 'off' })}>
            {t.account.turnOff}
          </Button>
        </Group>
      ) : (
        <Group>
          <Button variant="default" onClick={() => setStep({ name: 'password' })}>
            {t.account.turnOn}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** With few codes left, a lost phone may lock the person out. */
const FEW = 3

function CodesLeft({ count }: { readonly count: number }) {
  const t = useTexts()
  if (count > FEW) {
    return (
      <Text size="sm" c="dimmed">
        {t.account.codesLeft(count)}
      </Text>
    )
  }
  return (
    <Alert color="orange" variant="light">
      {t.account.codesLeft(count)} {t.account.fewCodes}
    </Alert>
  )
}

function AskPassword({
  onSecret,
  onCancel,
}: {
  readonly onSecret: (secret: Secret) => void
  readonly onCancel: () => void
}) {
  const t = useTexts()
  const { user } = useSession()
  const form = useForm({
    initial: { password: '' },
    save: (values) => answerOf(apiOf().POST('/users/@me/totp', { body: user.hasPassword ? values : {} })),
    onSaved: onSecret,
    guard: false,
  })
  return (
    <FormBox form={form} submit={t.account.goOn} always onCancel={onCancel}>
      {user.hasPassword ? <PresentPassword {...form.text('password')} autoFocus /> : null}
    </FormBox>
  )
}

function Scan({
  secret: { secret, url },
  onCodes,
  onCancel,
}: {
  readonly secret: Secret
  readonly onCodes: (codes: readonly string[]) => void
  readonly onCancel: () => void
}) {
  const t = useTexts()
  const form = useForm({
    initial: { code: '' },
    save: (body) => answerOf(apiOf().POST('/users/@me/totp/confirm', { body })),
    onSaved: ({ recoveryCodes }) => onCodes(recoveryCodes),
    guard: false,
  })
  return (
    <FormBox form={form} submit={t.account.turnOn} onCancel={onCancel}>
      <Text size="sm">{t.account.scan}</Text>
      <div className={style.code}>
        <QRCodeSVG value={url} size={192} title={t.account.qrCode} />
      </div>
      <Text size="sm" component="div">
        {t.account.key} <Code style={{ overflowWrap: 'anywhere' }}>{secret.match(/.{1,4}/g)?.join(' ')}</Code>{' '}
        <Copy value={secret} label={t.account.copyKey} />
      </Text>
      <TextInput
        label={t.account.code}
        description={t.account.codeHint}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        {...form.text('code')}
      />
    </FormBox>
  )
}

function Renew({
  onCodes,
  onCancel,
}: {
  readonly onCodes: (codes: readonly string[]) => void
  readonly onCancel: () => void
}) {
  const t = useTexts()
  const form = useProof(
    (body) => answerOf(apiOf().POST('/users/@me/totp/recovery-codes', { body })),
    ({ recoveryCodes }) => onCodes(recoveryCodes),
  )
  return (
    <FormBox form={form} submit={t.account.renewCodes} onCancel={onCancel}>
      <Text size="sm">{t.account.renewHint}</Text>
      <Proof form={form} hint={t.account.codeHint} />
    </FormBox>
  )
}

function TurnOff({ onDone, onCancel }: { readonly onDone: () => void; readonly onCancel: () => void }) {
  const t = useTexts()
  const form = useProof((body) => answerOf(apiOf().DELETE('/users/@me/totp', { body })), onDone)
  return (
    <FormBox form={form} submit={t.account.turnOff} onCancel={onCancel}>
      <Proof form={form} hint={t.account.offHint} />
    </FormBox>
  )
}

/** A form that asks for the password, where there is one, and a code. */
function useProof<Data>(
  save: (body: { readonly password?: string; readonly code: string }) => Promise<Data>,
  onSaved: (data: Data) => void,
) {
  const { user } = useSession()
  return useForm({
    initial: { password: '', code: '' },
    save: ({ password, code }) => save(user.hasPassword ? { password, code } : { code }),
    onSaved,
    guard: false,
  })
}

function Proof({ form, hint }: { readonly form: ReturnType<typeof useProof>; readonly hint: string }) {
  const t = useTexts()
  const { user } = useSession()
  return (
    <>
      {user.hasPassword ? <PresentPassword {...form.text('password')} autoFocus /> : null}
      <TextInput label={t.account.code} description={hint} autoComplete="one-time-code" {...form.text('code')} />
    </>
  )
}

function PresentPassword(props: Parameters<typeof PasswordField>[0]) {
  const t = useTexts()
  return <PasswordField label={t.account.present} autoComplete="current-password" {...props} />
}

/** The codes for a lost phone, which the server never shows again. */
function RecoveryCodes({ codes, onKept }: { readonly codes: readonly string[]; readonly onKept: () => void }) {
  const t = useTexts()
  const { user } = useSession()
  const text = `${t.account.recoveryOf(user.email)}\n\n${codes.join('\n')}\n`
  return (
    <Alert color="teal" title={t.account.recovery}>
      <Stack>
        <Text size="sm">{t.account.recoveryHint}</Text>
        <div className={style.printed}>
          <Text size="sm" mb="xs">
            {t.account.recoveryOf(user.email)}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
            {codes.map((code) => (
              <Code key={code} fz="sm">
                {code}
              </Code>
            ))}
          </SimpleGrid>
        </div>
        <Group>
          <Button
            size="xs"
            variant="default"
            onClick={() => saveFile('mailwright-recovery-codes.txt', new Blob([text]))}
          >
            {t.account.download}
          </Button>
          <Button size="xs" variant="default" onClick={() => window.print()}>
            {t.account.print}
          </Button>
          <Copy value={text} />
          <Button size="xs" ml="auto" onClick={onKept}>
            {t.account.codesKept}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
