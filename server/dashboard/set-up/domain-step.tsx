import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { DnsRecords, type Domain, DomainPill, TrustedNote } from '../parts/dns-records.tsx'
import { SenderForm } from '../parts/sender-form.tsx'
import { useTexts } from '../texts/texts.tsx'

/** How often a domain that waits for its records is looked at, in milliseconds. */
const EVERY = 15_000

/** The address to send from. Its domain is added by itself, and its records are shown below until they are found. */
export function DomainStep({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const queries = useQueryClient()
  const list = (signal?: AbortSignal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal })
  const domains = useAsk<readonly Domain[]>(['domains'], (_, signal) => list(signal), {
    every: (found) => (found?.some(({ verified }) => !verified) ? EVERY : false),
  })
  const onSaved = async (email: string) => {
    const found = await answerOf(list())
    queries.setQueryData([project.id, 'domains'], found)
    // its records are what is to be done next
    const isWaiting = found.some(({ domain, verified }) => !verified && email.endsWith(`@${domain}`))
    if (!isWaiting) onDone()
  }
  return (
    <Answer of={domains}>
      {(found) => (
        <Stack>
          <Paper withBorder p="lg" maw={720}>
            <Stack gap="sm">
              {found.length === 0 ? <Text size="sm">{t.setUp.senderHint}</Text> : null}
              <SenderForm submit={t.anywhere.save} withPending addsDomain onDone={(email) => void onSaved(email)} />
            </Stack>
          </Paper>
          {found.map((domain) => (
            <OneDomain key={domain.id} domain={domain} />
          ))}
        </Stack>
      )}
    </Answer>
  )
}

function OneDomain({ domain }: { readonly domain: Domain }) {
  const t = useTexts()
  const { id, verified } = domain
  const check = useAct((api) => api.GET('/domains/{id}/verify', { params: { path: { id } } }), {
    changes: ['domains'],
    done: t.domains.checked,
  })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{domain.domain}</Text>
          <DomainPill domain={domain} />
        </Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={14} />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {t.domains.check}
        </Button>
      </Group>
      <TrustedNote domain={domain} />
      {verified ? null : (
        <Alert color="blue" p="xs">
          {t.setUp.goOn}
        </Alert>
      )}
      <DnsRecords domain={domain} />
    </Stack>
  )
}
