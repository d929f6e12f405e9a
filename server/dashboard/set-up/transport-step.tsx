import { Alert, Stack, Text, Title } from '@mantine/core'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { MailServers } from '../parts/mail-servers/mail-servers.tsx'
import { PublicAddress } from '../parts/mail-servers/public-address.tsx'
import { useTexts } from '../texts/texts.tsx'

/** How mail leaves this server, and where its links lead: both are set here by the operator. */
export function TransportStep() {
  const t = useTexts()
  const { user } = useSession()
  const { from } = useProject()
  if (user.operator !== true) return <Alert color="blue">{t.setUp.askOperator}</Alert>
  return (
    <Stack maw={720}>
      <div>
        <Title order={2} size="h4">
          {t.setUp.transports}
        </Title>
        <Text size="sm" c="dimmed">
          {t.mailServers.hint}
        </Text>
      </div>
      <MailServers sender={from?.email} />
      <PublicAddress />
    </Stack>
  )
}
