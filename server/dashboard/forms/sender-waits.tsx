import { Alert, Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProject } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** Warns while the mail that asks to confirm cannot go out, since the domain of the sender is not verified. */
export function SenderWaits() {
  const t = useTexts()
  const { id, from } = useProject()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: id } }, signal }),
  )
  const name = from?.email.split('@')[1]?.toLowerCase()
  const waiting = domains.data?.find(({ domain, verified }) => domain === name && !verified)
  if (waiting === undefined) return null
  return (
    <Alert color="yellow" role="status">
      {t.forms.senderWaits(waiting.domain)}{' '}
      <Anchor component={Link} href={toProject(id, `/domains/${waiting.id}`)} size="sm" underline="always">
        {t.checks.fix.domain}
      </Anchor>
    </Alert>
  )
}
