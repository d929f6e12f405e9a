import { Stack, Text } from '@mantine/core'
import { useProject } from '../api/project.tsx'
import { MailServers } from '../parts/mail-servers/mail-servers.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The mail servers of the project. */
export function OwnMailServers() {
  const t = useTexts()
  const { from } = useProject()
  return (
    <Stack gap="lg" maw={720}>
      <Text size="sm" c="dimmed">
        {t.mailServers.ownHint}
      </Text>
      <MailServers owner="project" sender={from?.email} />
    </Stack>
  )
}
