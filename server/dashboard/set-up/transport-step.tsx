import { Alert, Anchor, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { MailServers } from '../parts/mail-servers/mail-servers.tsx'
import { PublicAddress } from '../parts/mail-servers/public-address.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** How mail leaves this server, and where its links lead: both are set here by the operator. */
export function TransportStep() {
  const t = useTexts()
  const { user } = useSession()
  const { from, mailWay } = useProject()
  if (user.operator !== true) return <OwnServers otherwise={t.setUp.askOperator} />
  return (
    <Stack maw={720}>
      {mailWay === 'own' || mailWay === 'nowhere' ? <OwnServers otherwise={t.home.waits} /> : null}
      <SectionHead title={t.setUp.transports} hint={t.mailServers.hint} />
      <MailServers sender={from?.email} />
      <PublicAddress />
    </Stack>
  )
}

/** Leads to the mail servers of the project itself; `otherwise` is read while it has none. */
function OwnServers({ otherwise }: { readonly otherwise: string }) {
  const t = useTexts()
  const { id, mailWay } = useProject()
  return (
    <Alert color="blue" maw={720}>
      {mailWay === 'own' ? t.setUp.ownServers : otherwise}{' '}
      <Anchor component={Link} href={toProject(id, '/settings?tab=servers')} size="sm">
        {t.setUp.toOwnServers}
      </Anchor>
    </Alert>
  )
}
