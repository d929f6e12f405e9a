import { Alert, Anchor, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, Route, Switch } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { type components } from '../api/client.ts'
import { Answer } from '../parts/answer.tsx'
import { Figure } from '../parts/figure.tsx'
import { useFormats } from '../parts/formats.ts'
import { MailServers } from '../parts/mail-servers/mail-servers.tsx'
import { PublicAddress } from '../parts/mail-servers/public-address.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { DataTable } from '../parts/table.tsx'
import { BareFrame } from '../shell/bare-frame.tsx'
import { toApp } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { Blocklists } from './blocklists.tsx'
import { People } from './people.tsx'
import { Quotas } from './quotas.tsx'
import { Routing } from './routing.tsx'

type State = components['schemas']['OperatorState']

/** How often it is looked at, in milliseconds. */
const EVERY = 10_000

/** How the whole installation stands, for its operator. */
export default function Operator() {
  return (
    <BareFrame>
      <Switch>
        <Route path="/routes">
          <Routing />
        </Route>
        <Route path="/people">
          <People />
        </Route>
        <Route>
          <Overview />
        </Route>
      </Switch>
    </BareFrame>
  )
}

function Overview() {
  const t = useTexts()
  const state = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }), { every: EVERY })
  return (
    <Page
      title={t.operator.title}
      hint={t.operator.hint}
      beside={state.data === undefined ? null : <Pill status={state.data.status} />}
    >
      <Answer of={state} lines={10}>
        {(found) => (
          <Stack gap="lg">
            <Down {...found} />
            <Figures {...found} />
            <Box title={t.mailServers.title} hint={t.mailServers.hint}>
              <Stack maw={720}>
                <MailServers />
              </Stack>
            </Box>
            <Box title={t.routes.open} hint={t.routes.openHint}>
              <Anchor component={Link} href="/routes" size="sm">
                {t.routes.rules}
              </Anchor>
            </Box>
            <Box title={t.people.title} hint={t.people.openHint}>
              <Anchor component={Link} href="/people" size="sm">
                {t.people.open}
              </Anchor>
            </Box>
            <Box title={t.mailServers.address}>
              <Stack maw={720}>
                <PublicAddress />
              </Stack>
            </Box>
            <Box title={t.operator.blocklists} hint={t.operator.blocklistsHint}>
              <Blocklists />
            </Box>
            <Queues {...found} />
            <Transports {...found} />
            <Quotas {...found} />
            <GivenUp {...found} />
            <BackOffs {...found} />
            <Workers {...found} />
            <Projects {...found} />
          </Stack>
        )}
      </Answer>
    </Page>
  )
}

/** The parts that do not work. */
function Down({ parts }: State) {
  const t = useTexts()
  const down = Object.entries(parts).filter(([, { ok }]) => !ok)
  return down.map(([name, { error }]) => (
    <Alert key={name} color="red" title={t.operator.partDown(name)}>
      {error && t.reasons(error)}
    </Alert>
  ))
}

function Figures({ process, disk, database, queues, projects, users }: State) {
  const t = useTexts()
  const formats = useFormats()
  const waiting = queues.reduce((sum, each) => sum + each.waiting, 0)
  const free = disk === null ? undefined : (disk.freeBytes / Math.max(1, disk.totalBytes)) * 100
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      <Figure name={t.operator.waiting} value={formats.number(waiting)} />
      <Figure
        name={t.operator.projects}
        value={formats.number(projects.length)}
        note={t.operator.users(users, formats.number(users))}
      />
      <Figure name={t.operator.database} value={formats.bytes(database.bytes)} />
      <Figure
        name={t.operator.disk}
        value={disk === null ? t.operator.unknown : formats.bytes(disk.freeBytes)}
        note={free === undefined ? undefined : t.operator.ofDisk(formats.percent(Math.round(free)))}
      />
      <Figure
        name={t.operator.memory}
        value={formats.bytes(process.residentBytes)}
        note={t.operator.roles[process.role]}
      />
      <Figure
        name={t.operator.running}
        value={t.operator.lasting(process.uptimeSeconds)}
        note={t.operator.version(process.version)}
      />
    </SimpleGrid>
  )
}

function Queues({ queues, projects }: State) {
  const t = useTexts()
  const formats = useFormats()
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (
    <Box title={t.operator.queues} hint={t.operator.queuesHint}>
      <DataTable
        name="operator-queues"
        label={t.operator.queues}
        rows={queues.map((each) => ({ ...each, id: `${each.queue} ${each.projectId}` }))}
        columns={[
          { key: 'queue', title: t.operator.work, cell: ({ queue }) => t.operator.kinds[queue] },
          { key: 'project', title: t.operator.project, cell: ({ projectId }) => names.get(projectId) ?? projectId },
          { key: 'waiting', title: t.operator.waiting, align: 'right', cell: ({ waiting }) => formats.number(waiting) },
          { key: 'due', title: t.operator.due, align: 'right', cell: ({ due }) => formats.number(due) },
          { key: 'oldest', title: t.operator.oldest, cell: ({ oldest }) => <Moment at={oldest} /> },
        ]}
        empty={<Nothing text={t.operator.noQueues} />}
      />
    </Box>
  )
}

function Transports({ transports }: State) {
  const t = useTexts()
  const reached = (seconds: number | undefined) =>
    seconds === undefined ? t.anywhere.never : t.operator.ago(t.operator.lasting(seconds))
  return (
    <Box title={t.operator.transports} hint={t.operator.ofThisProcess}>
      <DataTable
        name="operator-transports"
        label={t.operator.transports}
        rows={transports.map((each) => ({ ...each, id: each.name }))}
        columns={[
          { key: 'name', title: t.anywhere.name, cell: ({ name }) => name },
          { key: 'state', title: t.anywhere.status, cell: ({ state }) => <Pill status={state} /> },
          { key: 'reached', title: t.operator.reached, cell: ({ reachedSecondsAgo }) => reached(reachedSecondsAgo) },
          {
            key: 'paused',
            title: t.operator.pausedFor,
            cell: ({ pausedSeconds }) => (pausedSeconds > 0 ? t.operator.lasting(pausedSeconds) : '–'),
          },
          {
            key: 'error',
            title: t.operator.lastError,
            cell: ({ lastError }) =>
              lastError === undefined
                ? '–'
                : `${t.reasons(lastError.reason)} (${t.operator.ago(t.operator.lasting(lastError.secondsAgo))})`,
          },
        ]}
        empty={<Nothing text={t.operator.noTransports} />}
      />
    </Box>
  )
}

/** The work that processes have ended with too often, where nothing else shows it. */
function GivenUp({ givenUp }: State) {
  const t = useTexts()
  const formats = useFormats()
  if (givenUp.length === 0) return null
  return (
    <Box title={t.operator.givenUp} hint={t.operator.givenUpHint}>
      <DataTable
        name="operator-given-up"
        label={t.operator.givenUp}
        rows={givenUp.map((each) => ({ ...each, id: `${each.kind} ${each.key}` }))}
        columns={[
          { key: 'kind', title: t.operator.givenUpWork, cell: ({ kind, key }) => `${kind} ${key}` },
          { key: 'at', title: t.operator.givenUpAt, cell: ({ at }) => formats.time(at) },
          { key: 'reason', title: t.operator.reason, cell: ({ reason }) => t.reasons(reason) },
        ]}
        empty={null}
      />
    </Box>
  )
}

function BackOffs({ backOffs }: State) {
  const t = useTexts()
  const formats = useFormats()
  if (backOffs.length === 0) return null
  return (
    <Box title={t.operator.backOffs} hint={t.operator.backOffsHint}>
      <DataTable
        name="operator-back-offs"
        label={t.operator.backOffs}
        rows={backOffs.map((each) => ({ ...each, id: each.domain }))}
        columns={[
          { key: 'domain', title: t.operator.receiver, cell: ({ domain }) => domain },
          {
            key: 'pausedSeconds',
            title: t.operator.pausedFor,
            cell: ({ pausedSeconds }) => (pausedSeconds > 0 ? t.operator.lasting(pausedSeconds) : '–'),
          },
          {
            key: 'perSecond',
            title: t.operator.perSecond,
            align: 'right',
            cell: ({ perSecond }) => formats.number(perSecond),
          },
          { key: 'reason', title: t.operator.reason, cell: ({ reason }) => reason ?? '' },
        ]}
        empty={null}
      />
    </Box>
  )
}

function Workers({ workers }: State) {
  const t = useTexts()
  const formats = useFormats()
  if (workers.length === 0) return null
  return (
    <Box title={t.operator.workers} hint={t.operator.workersHint}>
      <DataTable
        name="operator-workers"
        label={t.operator.workers}
        rows={workers.map((each) => ({ ...each, id: each.name }))}
        columns={[
          { key: 'name', title: t.anywhere.name, cell: ({ name }) => name },
          { key: 'claims', title: t.operator.claims, align: 'right', cell: ({ claims }) => formats.number(claims) },
        ]}
        empty={null}
      />
    </Box>
  )
}

function Projects({ projects }: State) {
  const t = useTexts()
  return (
    <Box title={t.operator.projects}>
      <DataTable
        name="operator-projects"
        label={t.operator.projects}
        rows={projects}
        href={({ id }) => toApp(`/p/${id}`)}
        columns={[
          { key: 'name', title: t.anywhere.name, cell: ({ name }) => name },
          {
            key: 'state',
            title: t.anywhere.status,
            cell: ({ disabled }) => <Pill status={disabled ? 'DISABLED' : 'ENABLED'} />,
          },
          {
            key: 'mail',
            title: t.operator.mail,
            cell: ({ mailWay, mailServers }) => <WayOfMail way={mailWay} servers={mailServers} />,
          },
          { key: 'createdAt', title: t.anywhere.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
        empty={null}
      />
    </Box>
  )
}

/** The way that the mail of a project goes, and the state of each mail server of its own. */
function WayOfMail({
  way,
  servers,
}: {
  readonly way: State['projects'][number]['mailWay']
  readonly servers: State['projects'][number]['mailServers']
}) {
  const t = useTexts()
  if (way !== 'own')
    return (
      <Text size="sm" c={way === 'installation' ? undefined : 'var(--mw-bad)'}>
        {t.operator.ways[way]}
      </Text>
    )
  return servers.map(({ name, state, lastError }) => (
    <Text key={name} size="sm">
      {name} <Pill status={state} /> {state === 'ok' || lastError === undefined ? '' : t.reasons(lastError.reason)}
    </Text>
  ))
}

function Box({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}) {
  return (
    <Stack component="section" gap="xs">
      <SectionHead title={title} hint={hint} />
      {children}
    </Stack>
  )
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <Paper p="md">
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Paper>
  )
}
