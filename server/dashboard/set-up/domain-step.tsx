import { Alert, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { DnsRecords, type Domain } from '../parts/dns-records.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { Pill } from '../parts/pill.tsx'
import { SenderForm } from '../parts/sender-form.tsx'
import { useTexts } from '../texts/texts.tsx'

/** How often a domain that waits for its records is looked at, in milliseconds. */
const EVERY = 15_000

/** The domain to send from, with its records and a check; then the sender's address. */
export function DomainStep({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const project = useProject()
  const domains = useAsk<readonly Domain[]>(
    ['domains'],
    (api, signal) => api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
    { every: (found) => (found?.some(({ verified }) => !verified) ? EVERY : false) },
  )
  return (
    <Answer of={domains}>
      {(found) => (
        <Stack>
          {found.length === 0 ? <NewDomain /> : found.map((domain) => <OneDomain key={domain.id} domain={domain} />)}
          {found.length === 0 || found.some(({ verified }) => verified) ? null : (
            <Text size="sm">{t.setUp.senderLater}</Text>
          )}
          {/* the operator may vouch for other domains, which are not listed */}
          <Paper withBorder p="lg" maw={720}>
            <SenderForm submit={t.setUp.next} withPending onDone={onDone} />
          </Paper>
        </Stack>
      )}
    </Answer>
  )
}

function NewDomain() {
  const t = useTexts()
  const api = useApi()
  const form = useForm({
    initial: { domain: '' },
    save: (body) => answerOf(api.POST('/domains', { body })),
    guard: false,
    changes: ['domains'],
  })
  return (
    <Paper withBorder p="lg" maw={720}>
      <FormBox form={form} submit={t.domains.add}>
        <TextInput label={t.domains.domain} description={t.domains.domainHint} required {...form.text('domain')} />
      </FormBox>
    </Paper>
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
          <Pill status={domain.status} />
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
      {verified ? null : (
        <Alert color="blue" p="xs">
          {t.setUp.goOn}
        </Alert>
      )}
      <DnsRecords domain={domain} />
    </Stack>
  )
}
