import { Table } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'
import type { Series } from './time-chart-view.tsx'

/** The figures of a chart, newest last as in the chart. */
export default function TimeChartTable({
  label,
  days,
  series,
  height,
}: {
  readonly label: string
  readonly days: readonly string[]
  readonly series: readonly Series[]
  readonly height: number
}) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <Table.ScrollContainer minWidth={320} mah={height + 60} type="native" tabIndex={0}>
      <Table aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.anywhere.day}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.map((day, at) => (
            <Table.Tr key={day}>
              <Table.Th scope="row">{formats.day(`${day}T12:00:00`)}</Table.Th>
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
