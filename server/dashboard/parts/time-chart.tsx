import { Button, Group, Skeleton, Text } from '@mantine/core'
import { Suspense, useMemo, useState } from 'react'
import { later } from '../api/later.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { type Series, TimeChartView } from './time-chart-view.tsx'

const AsTable = later(() => import('./time-chart-table.tsx'))

/** A chart over days or hours, and the same figures as a table for users who cannot see it, or want them exactly. */
export function TimeChart({
  label,
  days,
  series,
  height = 260,
}: {
  readonly label: string
  /** As the API gives them: `2026-11-25`, or hours such as `2026-11-25T09:00:00+01:00`. */
  readonly days: readonly string[]
  readonly series: readonly Series[]
  readonly height?: number
}) {
  const t = useFirstTexts()
  const moments = useMemo(() => momentsOf(days), [days])
  const [asTable, setAsTable] = useState(false)
  return (
    <div>
      {days.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.anywhere.noFigures}
        </Text>
      ) : asTable ? (
        <Suspense fallback={<Skeleton height={height} />}>
          <AsTable label={label} {...moments} series={series} height={height} />
        </Suspense>
      ) : (
        <TimeChartView label={label} {...moments} series={series} height={height} />
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

/** When these days or hours begin, in the viewer's zone. */
function momentsOf(days: readonly string[]) {
  const hours = (days[0] ?? '').length > 10
  return { hours, times: days.map((day) => new Date(hours ? day : `${day}T00:00:00`)) }
}
