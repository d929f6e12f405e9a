import { Table } from '@mantine/core'
import { useFirstTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'
import type { Series } from './time-chart-view.tsx'

/** The figures of a chart, newest last as in the chart. */
export default function TimeChartTable({
  label,
  times,
  hours,
  series,
  height,
}: {
  readonly label: string
  /** When each day or hour begins. */
  readonly times: readonly Date[]
  readonly hours: boolean
  readonly series: readonly Series[]
  readonly height: number
}) {
  const t = useFirstTexts()
  const formats = useFormats()
  return (
    <Table.ScrollContainer minWidth={320} mah={height + 60} type="native" tabIndex={0}>
      <Table aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{hours ? t.anywhere.hour : t.anywhere.day}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.map((time, at) => (
            <Table.Tr key={time.getTime()}>
              <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
                {hours ? formats.time(time) : formats.day(time)}
              </Table.Th>
              {series.map(({ name, values }) => (
                <Table.Td key={name} ta="right">
                  {formats.number(values[at] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
