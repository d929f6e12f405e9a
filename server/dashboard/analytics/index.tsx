import { Grid, Group, Paper, SegmentedControl, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { deliveredName } from '../parts/delivered.ts'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { Page } from '../parts/page.tsx'
import { DataTable } from '../parts/table.tsx'
import { TimeChart } from '../parts/time-chart.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

const DAY = 86_400_000
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** How mail does over time, which campaigns did best, which events happen most. */
export default function Analytics() {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { values, change } = useAddress()
  const days = Number(values.days ?? 30)
  const day = (ago: number) => new Date(Date.now() - ago * DAY).toLocaleDateString('sv-SE')
  const query = { startDate: day(days - 1), endDate: day(0), timezone: zone }
  const series = useAsk(['analytics', 'timeseries', query], (api, signal) =>
    api.GET('/analytics/timeseries', { params: { query }, signal }),
  )
  const top = useAsk(['analytics', 'top-campaigns'], (api, signal) => api.GET('/analytics/top-campaigns', { signal }))
  const events = useAsk(['analytics', 'top-events'], (api, signal) => api.GET('/analytics/top-events', { signal }))
  return (
    <Page title={t.analytics.title} actions={<CopyCurl path="/analytics/timeseries" />}>
      <Group>
        <SegmentedControl
          value={String(days)}
          onChange={(chosen) => change({ days: chosen })}
          data={[7, 30, 90, 365].map((n) => ({ value: String(n), label: t.analytics.days(n) }))}
        />
      </Group>
      <Box title={t.analytics.byDay}>
        <Answer of={series} lines={8}>
          {(found) => (
            <TimeChart
              label={t.analytics.byDay}
              days={found.map(({ date }) => date)}
              height={320}
              series={[
                { name: t.analytics.sent, color: '#0b7285', values: found.map(({ emails }) => emails) },
                {
                  name: deliveredName(
                    t,
                    sumOf(found.map(({ delivered }) => delivered)),
                    sumOf(found.map(({ toFolder }) => toFolder)),
                  ),
                  color: '#2f9e44',
                  values: found.map(({ delivered }) => delivered),
                },
                { name: t.analytics.opens, color: '#e8590c', values: found.map(({ opens }) => opens) },
                { name: t.analytics.clicks, color: '#7048e8', values: found.map(({ clicks }) => clicks) },
                { name: t.analytics.bounces, color: '#c92a2a', values: found.map(({ bounces }) => bounces) },
              ]}
            />
          )}
        </Answer>
      </Box>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Box title={t.analytics.top}>
            <Answer of={top}>
              {(found) => (
                <DataTable
                  name="top-campaigns"
                  label={t.analytics.top}
                  rows={found}
                  href={({ id }) => toProject(project, `/campaigns/${id}`)}
                  columns={[
                    { key: 'name', title: t.analytics.campaign, cell: ({ name }) => name },
                    {
                      key: 'sent',
                      title: t.analytics.sent,
                      align: 'right',
                      cell: ({ sentCount }) => formats.number(sentCount),
                    },
                    {
                      key: 'open',
                      title: t.analytics.openRate,
                      align: 'right',
                      cell: ({ openRate }) => formats.percent(openRate),
                    },
                    {
                      key: 'click',
                      title: t.analytics.clickRate,
                      align: 'right',
                      cell: ({ clickRate }) => formats.percent(clickRate),
                    },
                  ]}
                  empty={<Empty title={t.analytics.noCampaigns} />}
                />
              )}
            </Answer>
          </Box>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Box title={t.analytics.events}>
            <Answer of={events}>
              {(found) => (
                <DataTable
                  name="top-events"
                  label={t.analytics.events}
                  rows={found.map((event) => ({ ...event, id: event.name }))}
                  columns={[
                    { key: 'name', title: t.analytics.event, cell: ({ name }) => name },
                    {
                      key: 'count',
                      title: t.analytics.count,
                      align: 'right',
                      cell: ({ count }) => formats.number(count),
                    },
                  ]}
                  empty={<Empty title={t.analytics.noEvents} />}
                />
              )}
            </Answer>
          </Box>
        </Grid.Col>
      </Grid>
    </Page>
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

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
