import { Alert, Code, List, Paper, Stack, Text, Title } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { useSession } from '../api/session.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The variables of the environment that name a next hop. */
const SMTP = 'SMTP_URL=smtp://user:password@smtp.example.com:587'
const SES = 'SES_REGION=eu-central-1'

/** How mail leaves this server: what there is, how it does, and how another is set. */
export function TransportStep() {
  const t = useTexts()
  const { user } = useSession()
  const isOperator = user.operator === true
  const state = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }), {
    enabled: isOperator,
  })
  const transports = state.data?.transports ?? []
  const works = transports.some(({ name, state: how }) => name !== 'mail-outbox' && how === 'ok')
  const isOutbox = transports.length > 0 && transports.every(({ name }) => name === 'mail-outbox')
  return (
    <Paper withBorder p="lg" maw={720}>
      <Stack>
        <Title order={2} size="h4">
          {t.setUp.transports}
        </Title>
        {isOperator ? (
          <List>
            {transports.map(({ name, state: how, lastError }) => (
              <List.Item key={name}>
                {name} <Pill status={how} />
                {lastError === undefined ? null : <Text size="sm">{lastError.reason}</Text>}
              </List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm">{t.setUp.askOperator}</Text>
        )}
        {isOutbox ? <Alert color="yellow">{t.setUp.outbox}</Alert> : null}
        <Text size="sm">{works ? t.setUp.setAnother : t.setUp.setTransport}</Text>
        <Code block>{`${SMTP}\n${SES}`}</Code>
        {works ? null : (
          <Text size="sm" c="dimmed">
            {t.setUp.thenTest}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}
