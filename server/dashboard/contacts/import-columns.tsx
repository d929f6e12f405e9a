import { Alert, Autocomplete, Button, Checkbox, Group, Paper, Select, Table, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Api, components } from '../api/client.ts'
import { useFormats } from '../parts/formats.ts'
import stacked from '../parts/stacked.module.css'
import { useTexts } from '../texts/texts.tsx'

type Report = components['schemas']['ImportPreview']['columns'][number]
type Type = 'string' | 'number' | 'boolean' | 'date'
type Format = NonNullable<Report['format']>
/** A type, with how its values are written where that has to be said. */
type Form = Type | `${Type}:${Format}`

/** The wishes for columns, by their names in the header, as the API takes them. */
export type Wanted = Readonly<
  Record<string, { readonly key?: string | null; readonly type?: Type; readonly format?: Format }>
>

/** Asks for the fields that contacts have. */
export const knownFields = [
  ['contacts', 'fields'],
  (api: Api, signal: AbortSignal) => api.GET('/contacts/fields', { signal }),
] as const

/**
 * The wishes with the keys that the server suggests for columns nothing was said about; undefined when there are none.
 * A field that contacts already have goes on under its name.
 */
export function suggestedFor(
  reports: readonly Report[] | undefined,
  known: components['schemas']['ContactFields'] | undefined,
  wanted: Wanted,
): Wanted | undefined {
  if (reports === undefined || known === undefined) return undefined
  const fields = new Set(known.fields.map(({ field }) => field))
  const keys = reports.flatMap(({ header, key, suggestedKey }) =>
    suggestedKey === undefined || wanted[header]?.key !== undefined || fields.has(`data.${key}`)
      ? []
      : [[header, { ...wanted[header], key: suggestedKey }] as const],
  )
  return keys.length === 0 ? undefined : { ...wanted, ...Object.fromEntries(keys) }
}

/** Values of a column that are shown, and in how many rows they are looked for. */
const [SHOWN, LOOKED_AT] = [3, 50]
const SPECIAL = ['email', 'subscribed', 'tracking', 'topics']

/** Each column of the file, with what it becomes: another field, another type, or nothing. */
export function ImportColumns({
  name,
  rows,
  reports,
  wanted,
  change,
}: {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  /** The server's reading of each column; undefined while it cannot tell. */
  readonly reports: readonly Report[] | undefined
  readonly wanted: Wanted
  readonly change: (wanted: Wanted) => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const known = useAsk(...knownFields)
  const keys = useMemo(() => {
    const own = (known.data?.fields ?? []).filter(({ field }) => field.startsWith('data.'))
    return [...SPECIAL, ...own.map(({ field }) => field.slice('data.'.length))]
  }, [known.data])
  const header = rows[0] ?? []
  const set = (column: string, part: Wanted[string]) => change({ ...wanted, [column]: { ...wanted[column], ...part } })
  const setForm = (column: string, form: string) => {
    const [type, format] = form.split(':') as [Type, Format | undefined]
    const { format: _, ...rest } = wanted[column] ?? {}
    change({ ...wanted, [column]: { ...rest, type, ...(format && { format }) } })
  }
  // a column that was left out goes back to what the server makes of it; one that the server leaves out gets a key
  const take = (column: string, isTaken: boolean) => {
    if (!isTaken) return set(column, { key: null })
    if (wanted[column]?.key === undefined) return set(column, { key: keyFor(column) })
    const { [column]: _, ...others } = wanted
    change(others)
  }
  const types = FORMS.map((value) => ({ value, label: t.contacts.forms[value] ?? value }))
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {name} · {t.contacts.rows(formats.number(Math.max(0, rows.filter(isFilled).length - 1)))}
      </Title>
      <Table.ScrollContainer minWidth={720} type="native" tabIndex={0} className={stacked.stacked}>
        <Table aria-label={t.contacts.columns} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.contacts.column}</Table.Th>
              <Table.Th>{t.contacts.becomes}</Table.Th>
              <Table.Th>{t.contacts.type}</Table.Th>
              <Table.Th>{t.contacts.note}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {header.map((column, index) => {
              if (column === '') return null
              const report = reports?.find((each) => each.header === column)
              const own = wanted[column]
              const key = own?.key === undefined ? (report?.key ?? '') : (own.key ?? '')
              const isTaken = own?.key === undefined ? report?.key !== null : own.key !== null
              return (
                <Table.Tr key={index}>
                  <Table.Td>
                    <Checkbox
                      label={column}
                      description={sampleOf(rows, index)}
                      checked={isTaken}
                      onChange={({ currentTarget }) => take(column, currentTarget.checked)}
                    />
                  </Table.Td>
                  <Table.Td data-name={t.contacts.becomes}>
                    <Autocomplete
                      aria-label={t.contacts.becomesWhat(column)}
                      data={keys}
                      value={key}
                      disabled={!isTaken}
                      maxLength={100}
                      onChange={(typed) => typed !== key && set(column, { key: typed })}
                      w={190}
                    />
                  </Table.Td>
                  <Table.Td data-name={t.contacts.type}>
                    {isTaken && !SPECIAL.includes(key) ? (
                      <Select
                        aria-label={t.contacts.typeOf(column)}
                        data={types}
                        placeholder={report?.type === 'mixed' ? t.contacts.types.mixed : undefined}
                        value={formOf(own) ?? formOf(report) ?? null}
                        onChange={(form) => form && setForm(column, form)}
                        w={200}
                      />
                    ) : null}
                  </Table.Td>
                  <Table.Td data-name={t.contacts.note}>
                    {report === undefined ? null : (
                      <Note
                        report={report}
                        choose={(form) => setForm(column, form)}
                        rename={(to) => set(column, { key: to })}
                      />
                    )}
                  </Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

/** The note about a column, or the question that the server has to have answered first. */
function Note({
  report: { asks, note, suggestedKey },
  choose,
  rename,
}: {
  readonly report: Report
  readonly choose: (form: Form) => void
  readonly rename: (key: string) => void
}) {
  const t = useTexts()
  const { number } = useFormats()
  if (asks !== undefined) {
    const { type, formats, examples } = asks
    return (
      <Alert color="yellow" p="xs" maw="44ch" role="status">
        <Text size="xs">
          {t.contacts.asks[type](examples.map(({ cell, row }) => t.contacts.cellOfRow(cell, number(row))).join(' · '))}
        </Text>
        <Group gap={6} mt={6}>
          {formats.map((format) => (
            <Button key={format} size="compact-xs" variant="default" onClick={() => choose(`${type}:${format}`)}>
              {t.contacts.forms[`${type}:${format}`]}
            </Button>
          ))}
          <Button size="compact-xs" variant="subtle" onClick={() => choose('string')}>
            {t.contacts.stayText}
          </Button>
        </Group>
      </Alert>
    )
  }
  if (!note) return null
  return (
    <>
      <Text size="xs" c="dimmed" maw="40ch">
        {t.contacts.columnNote(note)}
      </Text>
      {suggestedKey === undefined ? null : (
        <Button size="compact-xs" variant="default" mt={6} onClick={() => rename(suggestedKey)}>
          {t.contacts.renameTo(suggestedKey)}
        </Button>
      )}
    </>
  )
}

/** The choices for a column. */
const FORMS = [
  'string',
  'number',
  'number:point',
  'number:comma',
  'date',
  'date:dmy',
  'date:mdy',
  'boolean',
] as const satisfies readonly Form[]

/** The choice that stands for a type and a format. */
function formOf(of: { readonly type?: Report['type']; readonly format?: Format } | undefined): Form | undefined {
  const { type, format } = of ?? {}
  if (type === undefined || type === null || type === 'mixed') return undefined
  const form = FORMS.find((each) => each === `${type}:${format}`)
  return form ?? type
}

/** The first values of a column. */
function sampleOf(rows: readonly (readonly string[])[], index: number): string {
  const values = rows.slice(1, LOOKED_AT).flatMap((cells) => cells[index] || [])
  return values
    .slice(0, SHOWN)
    .map((value) => (value.length > 32 ? `${value.slice(0, 32)}…` : value))
    .join(' · ')
}

/** The key of a column that is taken after all: letters and digits, as templates print them. */
function keyFor(column: string): string {
  const [first = '', ...rest] = column
    .normalize('NFKC')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const tail = rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}${tail.join('')}` || 'column'
}

function isFilled(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '')
}
