import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { MailFindings, type OwnFinding, useMailCheck } from '../parts/mail-check.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { samplesIn } from '../parts/starters.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { type Campaign, checkable, usePreview } from './queries.ts'

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
  readonly skipped: {
    readonly unsubscribed: number
    readonly suppressed: number
    readonly paused: number
    readonly topic: number
  }
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
    ...(skipped.paused > 0 ? [t.campaigns.leftPaused(formats.number(skipped.paused))] : []),
    ...(skipped.topic > 0 ? [t.campaigns.leftTopic(formats.number(skipped.topic))] : []),
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
  readonly sample: { readonly html: string }
  readonly isEmpty: boolean
}) {
  const t = useTexts()
  const project = useProject()
  const { change } = useAddress()
  const [, navigate] = useLocation()
  const check = useMailCheck(checkable(campaign))
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const domain = campaign.from.split('@')[1] ?? ''
  // a domain that is not listed is one that the operator vouches for: nobody else's is taken
  const isProven = domains.data?.find((each) => each.domain === domain)?.verified ?? true
  const own: readonly OwnFinding[] = [
    ...(isEmpty ? [{ severity: 'error' as const, message: t.campaigns.checks.nobody }] : []),
    ...(isProven ? [] : [{ severity: 'error' as const, message: t.campaigns.checks.domainUnproven(domain) }]),
    ...samplesLeft(sample.html).map((left) => ({
      ...{ severity: 'error' as const, field: 'body' as const },
      message: t.checks.sampleLeft(left),
    })),
  ]
  return (
    <MailFindings
      check={check}
      own={own}
      onFix={(field) =>
        field === 'project' ? navigate(toProject(project.id, '/settings')) : change({ step: undefined })
      }
    />
  )
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

/** What of the mails to begin with is still in this finished mail. */
function samplesLeft(html: string): readonly string[] {
  // styles say nothing here, and the page's policy would report each of them
  const plain = html.replace(/<style[\s\S]*?<\/style>|\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, '')
  const { body } = new DOMParser().parseFromString(plain, 'text/html')
  const links = [...body.querySelectorAll('a[href]')].map((a) => a.getAttribute('href') ?? '')
  return samplesIn(body.textContent ?? '', links)
}
