import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTexts } from '../../texts/texts.tsx'
import { DIRECT, type MailServerList, type Trial } from './queries.ts'

/** The result of a test: the problem, what to do about it, and the server's reply. */
export function TrialResult({
  trial,
  preset,
  sentTo,
  hasLogin = true,
  provider,
}: {
  readonly trial: Trial
  readonly preset: MailServerList['presets'][number] | undefined
  readonly sentTo: string | undefined
  /** False where no user was given, so that no login was tried. */
  readonly hasLogin?: boolean
  /** The preset, which may be none of a provider. */
  readonly provider?: string | undefined
}) {
  const t = useTexts()
  const isDirect = provider === DIRECT
  return (
    <Stack gap="xs">
      {trial.ok ? (
        <Alert color="teal" icon={<IconCircleCheck size={18} />} role="status">
          {sentTo !== undefined
            ? t.mailServers.sent(sentTo)
            : isDirect
              ? t.mailServers.directWorks
              : hasLogin
                ? t.mailServers.works
                : t.mailServers.worksWithoutLogin}
        </Alert>
      ) : (
        <Failed trial={trial} preset={preset} isDirect={isDirect} />
      )}
      {trial.warnings?.map(({ warning, reason }) => (
        <Alert color="yellow" role="alert" key={warning + reason} title={t.mailServers.directWarnings[warning]}>
          <Said reason={reason} />
        </Alert>
      ))}
    </Stack>
  )
}

function Failed({
  trial: { at, trouble, reason },
  preset,
  isDirect,
}: {
  readonly trial: Trial
  readonly preset: MailServerList['presets'][number] | undefined
  readonly isDirect: boolean
}) {
  const t = useTexts()
  const { mailRefused, directRefused, troubles, directTroubles } = t.mailServers
  const known = isDirect ? { ...troubles, ...directTroubles } : troubles
  const words = at === 'mail' ? (isDirect ? directRefused : mailRefused) : trouble && known[trouble]
  const hint = trouble === 'login' && preset ? t.mailServers.hintOf(preset.name) : undefined
  return (
    <Alert color="red" role="alert" title={words ?? t.mailServers.failed}>
      {hint === undefined ? null : <Text size="sm">{hint}</Text>}
      {trouble === 'login' && preset?.keyPage ? (
        <Anchor href={preset.keyPage} target="_blank" rel="noreferrer" size="sm">
          {t.mailServers.keyPage(preset.provider)}
        </Anchor>
      ) : null}
      {reason === undefined ? null : <Said reason={reason} />}
    </Alert>
  )
}

function Said({ reason }: { readonly reason: string }) {
  const t = useTexts()
  return (
    <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
      {t.mailServers.said(reason)}
    </Text>
  )
}
