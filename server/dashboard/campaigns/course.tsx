import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { Answer } from '../parts/answer.tsx'
import { TimeChart } from '../parts/time-chart.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const THREE_DAYS = 3 * 86_400_000

/** When the mails of a campaign were delivered and read: hours of its first three days, or days. */
export function Course({
  campaign: { id, status, startedAt },
  delivered,
}: {
  readonly campaign: Campaign
  /** The name of the delivered mails, which may only have been written to a folder. */
  readonly delivered: string
}) {
  const t = useTexts()
  const isYoung = startedAt !== undefined && Date.now() - Date.parse(startedAt) < THREE_DAYS
  const [unit, setUnit] = useState<'hour' | 'day'>(isYoung ? 'hour' : 'day')
  const course = useAsk(
    // asked anew as soon as it is sent
    ['campaigns', id, 'timeseries', unit, status],
    (api, signal) =>
      api.GET('/campaigns/{id}/timeseries', { params: { path: { id }, query: { unit, timezone: zone } }, signal }),
    { every: status === 'SENDING' ? 5000 : 20_000, keep: true },
  )
  const { course: words, figures } = t.campaigns
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {words.title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={words.title}
          value={unit}
          onChange={(chosen) => setUnit(chosen === 'hour' ? 'hour' : 'day')}
          data={[
            { value: 'hour', label: words.hours },
            { value: 'day', label: words.days },
          ]}
        />
      </Group>
      <Answer of={course} lines={6}>
        {(rows) => (
          <TimeChart
            label={words.title}
            height={220}
            days={rows.map(({ date }) => date)}
            series={[
              { name: delivered, color: '#0b7285', values: rows.map((row) => row.delivered) },
              { name: figures.opened, color: '#e8590c', values: rows.map(({ opens }) => opens) },
              { name: figures.clicked, color: '#7048e8', values: rows.map(({ clicks }) => clicks) },
              { name: figures.unsubscribed, color: '#c2255c', values: rows.map(({ unsubscribes }) => unsubscribes) },
            ]}
          />
        )}
      </Answer>
    </Paper>
  )
}
