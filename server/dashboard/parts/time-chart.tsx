import { Button, Group, Skeleton, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { later } from '../api/later.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Series } from './time-chart-view.tsx'

const View = later(() => import('./time-chart-view.tsx'))
const AsTable = later(() => import('./time-chart-table.tsx'))

/** A chart over days, and the same figures as a table for whoever cannot see it, or wants them exactly. */
export function TimeChart({
  label,
  days,
  series,
  height = 260,
}: {
  readonly label: string
  /** As the API gives them: `2026-11-25`. */
  readonly days: readonly string[]
  readonly series: readonly Series[]
  readonly height?: number
}) {
  const t = useTexts()
  const [asTable, setAsTable] = useState(false)
  return (
    <div>
      {days.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.anywhere.noFigures}
        </Text>
      ) : asTable ? (
        <Suspense fallback={<Skeleton height={height} />}>
          <AsTable label={label} days={days} series={series} height={height} />
        </Suspense>
      ) : (
        <Suspense fallback={<Skeleton height={height} />}>
          <View label={label} days={days} series={series} height={height} />
        </Suspense>
      )}
      {days.length === 0 ? null : (
        <Group justify="flex-end" mt={4}>
          <Button variant="subtle" size="compact-xs" onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
            {asTable ? t.anywhere.showChart : t.anywhere.showTable}
          </Button>
        </Group>
      )}
    </div>
  )
}
