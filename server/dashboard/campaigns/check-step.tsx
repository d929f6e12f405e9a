import { Alert, Button, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconArrowRight, IconCircleCheck } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { MailFrame } from '../parts/mail-frame.tsx'
import { useTexts } from '../texts/texts.tsx'
import { findingsIn, variablesIn } from './mail-checks.ts'
import { type Campaign, usePreview } from './queries.ts'

/** How many get the mail, what is worth mending, the mail as its first recipient gets it, and a test. */
export function CheckStep({
  campaign,
  onDone,
}: {
  readonly campaign: Campaign
  /** Goes on to sending. */
  readonly onDone: () => void
}) {
  const t = useTexts()
  const preview = usePreview(campaign.id, campaign.updatedAt)
  return (
    <Stack>
      <Answer of={preview}>
        {(found) => (
          <>
            <AudienceCount {...found} />
            <Findings campaign={campaign} sample={found.sample} isEmpty={found.totalRecipients === 0} />
            <Paper withBorder p="md">
              <Text size="sm" mb="xs">
                <Text span c="dimmed">
                  {t.preview.subject}:{' '}
                </Text>
                {found.sample.subject}
              </Text>
              <MailFrame html={found.sample.html} title={t.preview.title} pictures />
            </Paper>
          </>
        )}
      </Answer>
      <Group justify="space-between" align="flex-end">
        <TestMail id={campaign.id} />
        <Button rightSection={<IconArrowRight size={16} />} onClick={onDone}>
          {t.campaigns.goOn(t.campaigns.steps.send)}
        </Button>
      </Group>
    </Stack>
  )
}

/** The number that is mailed, and who is left out and why. */
export function AudienceCount({
  totalRecipients,
  skipped,
}: {
  readonly totalRecipients: number
  readonly skipped: { readonly unsubscribed: number; readonly suppressed: number }
}) {
  const t = useTexts()
  const formats = useFormats()
  const title =
    totalRecipients === 0
      ? t.campaigns.countNone
      : totalRecipients === 1
        ? t.campaigns.countOne
        : t.campaigns.count(formats.number(totalRecipients))
  const left = [
    ...(skipped.unsubscribed > 0 ? [t.campaigns.leftUnsubscribed(formats.number(skipped.unsubscribed))] : []),
    ...(skipped.suppressed > 0 ? [t.campaigns.leftSuppressed(formats.number(skipped.suppressed))] : []),
  ]
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h3">
        {title}
      </Title>
      {left.length === 0 ? null : (
        <Text size="sm">
          {t.campaigns.leftOut}: {left.join(', ')}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t.campaigns.countHint}
      </Text>
    </Paper>
  )
}

function Findings({
  campaign,
  sample,
  isEmpty,
}: {
  readonly campaign: Campaign
  readonly sample: { readonly subject: string; readonly html: string }
  readonly isEmpty: boolean
}) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProject()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const lacking = useLacking(variablesIn(`${campaign.subject}\n${campaign.body}`))
  const domain = campaign.from.split('@')[1] ?? ''
  // a domain that is not listed is one that the operator vouches for: nobody else's is taken
  const isProven = domains.data?.find((each) => each.domain === domain)?.verified ?? true
  const found = [
    ...(isEmpty ? [t.campaigns.checks.nobody] : []),
    ...findingsIn(sample, t, formats.number),
    ...lacking.map(({ name, missing, isUnknown }) =>
      isUnknown
        ? t.campaigns.checks.unknownVariable(name)
        : t.campaigns.checks.lackingVariable(name, formats.number(missing)),
    ),
    ...(isProven ? [] : [t.campaigns.checks.domainUnproven(domain)]),
    ...(campaign.body.includes('unsubscribeUrl') || campaign.body.includes('manageUrl')
      ? []
      : [t.campaigns.checks.noWayOut]),
  ]
  if (found.length === 0) {
    return (
      <Alert color="teal" icon={<IconCircleCheck />}>
        {t.campaigns.checks.allWell}
      </Alert>
    )
  }
  return (
    <Alert color="yellow" title={t.campaigns.checks.title}>
      <List size="sm" spacing={4}>
        {found.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** Of these variables, those that subscribed contacts lack, and how many of them. */
function useLacking(names: readonly string[]) {
  const api = useApi()
  const project = useProject()
  const fields = useAsk(['contacts', 'fields'], (client, signal) => client.GET('/contacts/fields', { signal }))
  const known = new Set((fields.data?.fields ?? []).map(({ field }) => field))
  const asked = fields.data === undefined ? [] : names
  const counts = useQueries({
    queries: asked.map((name) => ({
      queryKey: [project.id, 'contacts', 'lacking', name],
      queryFn: async () => {
        const filter = JSON.stringify({
          operator: 'AND',
          conditions: [{ field: `data.${name}`, operator: 'notExists' }],
        })
        const query = { filter, subscribed: true }
        return (await answerOf(api.GET('/contacts/count', { params: { query } }))).count
      },
    })),
  })
  return asked.flatMap((name, at) => {
    const missing = counts[at]?.data ?? 0
    const isUnknown = !known.has(`data.${name}`)
    return isUnknown || missing > 0 ? [{ name, missing, isUnknown }] : []
  })
}

function TestMail({ id }: { readonly id: string }) {
  const t = useTexts()
  const { user } = useSession()
  const [email, setEmail] = useState(user.email)
  const test = useAct(
    (api, to: string) => api.POST('/campaigns/{id}/test', { params: { path: { id } }, body: { email: to } }),
    { changes: ['emails'], done: (_, to) => t.campaigns.testSent(to) },
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        test.mutate(email)
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t.campaigns.testTo}
          type="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          w={300}
        />
        <Button type="submit" variant="default" loading={test.isPending}>
          {t.campaigns.test}
        </Button>
      </Group>
    </form>
  )
}
