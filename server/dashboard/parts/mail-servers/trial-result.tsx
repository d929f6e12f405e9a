import { Alert, Anchor, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTexts } from '../../texts/texts.tsx'
import type { MailServerList, Trial } from './queries.ts'

/** The result of a test: the problem, what to do about it, and the server's reply. */
export function TrialResult({
  trial,
  preset,
  sentTo,
  hasLogin = true,
}: {
  readonly trial: Trial
  readonly preset: MailServerList['presets'][number] | undefined
  readonly sentTo: string | undefined
  /** False where no user was given, so that no login was tried. */
  readonly hasLogin?: boolean
}) {
  const t = useTexts()
  const { ok, at, trouble, reason } = trial
  if (ok) {
    return (
      <Alert color="teal" icon={<IconCircleCheck size={18} />} role="status">
        {sentTo !== undefined
          ? t.mailServers.sent(sentTo)
          : hasLogin
            ? t.mailServers.works
            : t.mailServers.worksWithoutLogin}
      </Alert>
    )
  }
  const words = at === 'mail' ? t.mailServers.mailRefused : trouble && t.mailServers.troubles[trouble]
  const hint = trouble === 'login' && preset ? t.mailServers.hintOf(preset.name) : undefined
  return (
    <Alert color="red" role="alert" title={words ?? t.mailServers.failed}>
      {hint === undefined ? null : <Text size="sm">{hint}</Text>}
      {trouble === 'login' && preset?.keyPage ? (
        <Anchor href={preset.keyPage} target="_blank" rel="noreferrer" size="sm">
          {t.mailServers.keyPage(preset.provider)}
        </Anchor>
      ) : null}
      {reason === undefined ? null : (
        <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {t.mailServers.said(reason)}
        </Text>
      )}
    </Alert>
  )
}
