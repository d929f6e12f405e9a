import {
  Alert,
  Anchor,
  Button,
  Grid,
  Group,
  List,
  Paper,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useMay, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { ActivityText } from '../parts/activity-text.tsx'
import { Answer } from '../parts/answer.tsx'
import { deliveredName, goesOut } from '../parts/delivered.ts'
import { Figure } from '../parts/figure.tsx'
import { useFormats } from '../parts/formats.ts'
import { Page } from '../parts/page.tsx'
import { TimeChart } from '../parts/time-chart.tsx'
import { useFirstTexts } from '../texts/texts.tsx'
import { useHealth } from './health.ts'

const DAY = 86_400_000
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** How the project does: figures, chart, what is wrong, what goes on. */
export default function Home() {
  const t = useFirstTexts()
  return (
    <Page title={t.home.title} hint={t.home.last30}>
      <Todo />
      <Figures />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack>
            <UnderWay />
            <Chart />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <Health />
            <Latest />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function Figures() {
  const t = useFirstTexts()
  const formats = useFormats()
  const now = useStats(30, 0)
  const before = useStats(60, 30)
  const { figures } = t.home
  const shown = [
    { name: figures.sent, key: 'totalEmailsSent', filter: 'sent', rising: 'neither' },
    {
      name: deliveredName(t, now.data?.totalEmailsDelivered, now.data?.totalEmailsToFolder),
      key: 'totalEmailsDelivered',
      filter: 'delivered',
      rising: 'good',
    },
    { name: figures.opened, key: 'totalEmailsOpened', filter: 'opened', rising: 'good' },
    { name: figures.clicked, key: 'totalEmailsClicked', filter: 'clicked', rising: 'good' },
    { name: figures.bounced, key: 'totalEmailsBounced', filter: 'bounced', rising: 'bad' },
    { name: figures.complained, key: 'totalComplaints', filter: 'complained', rising: 'bad' },
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      {shown.map(({ name, key, filter, rising }) => {
        const value = now.data?.[key]
        const earlier = before.data?.[key]
        const by = value === undefined || !earlier ? undefined : ((value - earlier) / earlier) * 100
        const sign = by !== undefined && by > 0 ? '+' : ''
        return (
          <Figure
            key={key}
            name={name}
            value={value === undefined ? undefined : formats.number(value)}
            change={by === undefined ? undefined : { by, text: `${sign}${formats.percent(Math.round(by))}` }}
            rising={rising}
            href={`/mails?${filter}=true`}
          />
        )
      })}
    </SimpleGrid>
  )
}

/** The counts from so many days ago to so many days ago, in the viewer's zone. */
function useStats(from: number, to: number) {
  const day = (ago: number) => new Date(Date.now() - ago * DAY).toLocaleDateString('sv-SE')
  const query = { startDate: day(from - 1), endDate: day(to), timezone: zone }
  return useAsk(
    ['activity', 'stats', query],
    (api, signal) => api.GET('/activity/stats', { params: { query }, signal }),
    {
      every: to === 0 ? 30_000 : false,
    },
  )
}

function Chart() {
  const t = useFirstTexts()
  const series = useAsk(['analytics', 'timeseries', 30], (api, signal) =>
    api.GET('/analytics/timeseries', { params: { query: { timezone: zone } }, signal }),
  )
  const { figures } = t.home
  return (
    <Box title={t.home.byDay}>
      <Answer of={series} lines={8}>
        {(days) => (
          <TimeChart
            label={t.home.byDay}
            days={days.map(({ date }) => date)}
            series={[
              { name: figures.sent, color: '#0b7285', values: days.map(({ emails }) => emails) },
              { name: figures.opened, color: '#e8590c', values: days.map(({ opens }) => opens) },
              { name: figures.clicked, color: '#7048e8', values: days.map(({ clicks }) => clicks) },
            ]}
          />
        )}
      </Answer>
    </Box>
  )
}

function UnderWay() {
  const t = useFirstTexts()
  const formats = useFormats()
  const sending = useAsk(
    ['campaigns', 'sending'],
    (api, signal) => api.GET('/campaigns', { params: { query: { status: 'SENDING' } }, signal }),
    { every: 3000 },
  )
  const campaigns = sending.data?.campaigns ?? []
  if (campaigns.length === 0) return null
  return (
    <Box title={t.home.underWay}>
      <Stack>
        {campaigns.map(({ id, name, totalRecipients, queued }) => (
          <div key={id}>
            <Group justify="space-between">
              <Link href={`/campaigns/${id}`}>{name}</Link>
              <Text size="sm">
                {t.anywhere.progress(formats.number(totalRecipients - queued), formats.number(totalRecipients))}
              </Text>
            </Group>
            <Progress
              value={((totalRecipients - queued) / Math.max(1, totalRecipients)) * 100}
              animated
              mt={4}
              aria-label={name}
            />
          </div>
        ))}
      </Stack>
    </Box>
  )
}

function Health() {
  const t = useFirstTexts()
  const problems = useHealth()
  return (
    <Box title={t.home.health}>
      {problems === undefined ? null : problems.length === 0 ? (
        <Group gap="xs">
          <IconCircleCheck size={18} color="var(--mantine-color-teal-7)" aria-hidden />
          <Text size="sm">{t.home.allWell}</Text>
        </Group>
      ) : (
        <Stack gap="xs">
          {problems.map(({ text, href }) => (
            <Alert key={text} color="yellow" p="xs">
              {href === undefined ? (
                text
              ) : (
                <Anchor component={Link} href={href} c="inherit" size="sm" underline="always">
                  {text}
                </Anchor>
              )}
            </Alert>
          ))}
        </Stack>
      )}
    </Box>
  )
}

function Latest() {
  const t = useFirstTexts()
  const latest = useAsk(
    ['activity', 'latest'],
    (api, signal) => api.GET('/activity', { params: { query: { limit: 8 } }, signal }),
    { every: 5000 },
  )
  return (
    <Box title={t.home.latest}>
      <Answer of={latest}>
        {({ data }) => (
          <Stack gap="xs">
            {data.length === 0 ? (
              <Text size="sm" c="dimmed">
                {t.activity.emptyHint}
              </Text>
            ) : null}
            {data.map((entry) => (
              <ActivityText key={entry.id} entry={entry} />
            ))}
            <Anchor component={Link} href="/activity" size="sm">
              {t.home.allActivity}
            </Anchor>
          </Stack>
        )}
      </Answer>
    </Box>
  )
}

/** The steps left before a first newsletter; none once it is sent. */
function Todo() {
  const t = useFirstTexts()
  const project = useProject()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const one = { params: { query: { limit: 1 } } } as const
  const contacts = useAsk(['contacts', 'any'], (api, signal) => api.GET('/contacts', { ...one, signal }))
  const templates = useAsk(['templates', 'any'], (api, signal) => api.GET('/templates', { ...one, signal }))
  const campaigns = useAsk(['campaigns', 'any-sent'], (api, signal) =>
    api.GET('/campaigns', { params: { query: { limit: 1, status: 'SENT' } }, signal }),
  )
  const mails = useAsk(['emails', 'any'], (api, signal) => api.GET('/emails', { ...one, signal }))
  const may = useMay()
  const { user } = useSession()
  if (!domains.data || !contacts.data || !templates.data || !campaigns.data || !mails.data) return null
  if (campaigns.data.total > 0 || !may.campaigns) return null
  const steps = [
    ...(may.domains
      ? [{ text: t.home.steps.domain, href: '/start?step=domain', isDone: domains.data.some((each) => each.verified) }]
      : []),
    ...(may.settings ? [{ text: t.home.steps.sender, href: '/settings#sender', isDone: project.from !== null }] : []),
    ...(user.operator
      ? [{ text: t.home.steps.transport, href: '/start?step=transport', isDone: goesOut(project) }]
      : []),
    { text: t.home.steps.mail, href: '/start?step=mail', isDone: mails.data.data.length > 0 && goesOut(project) },
    // an owner who sent a mail to themselves is one already
    { text: t.home.steps.contacts, href: '/contacts/import', isDone: contacts.data.total > 1 },
    { text: t.home.steps.template, href: '/templates/new', isDone: templates.data.total > 0 },
    { text: t.home.steps.campaign, href: '/campaigns/new', isDone: false },
  ]
  return (
    <Box title={t.home.todo}>
      <Text size="sm" c="dimmed" mb="sm">
        {t.home.todoHint}
      </Text>
      <Button component={Link} href="/start" size="xs" mb="sm">
        {t.home.goThrough}
      </Button>
      <List spacing="xs" center>
        {steps.map(({ text, href, isDone }) => (
          <List.Item
            key={href}
            icon={
              isDone ? (
                <IconCircleCheck size={20} color="var(--mantine-color-teal-7)" aria-label={t.anywhere.yes} />
              ) : (
                <IconCircleDashed size={20} color="var(--mantine-color-dimmed)" aria-label={t.anywhere.no} />
              )
            }
          >
            {isDone ? <Text span>{text}</Text> : <Link href={href}>{text}</Link>}
          </List.Item>
        ))}
      </List>
    </Box>
  )
}

function Box({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}
