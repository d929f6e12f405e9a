import {
  Button,
  CloseButton,
  Group,
  Pagination,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconSearch } from '@tabler/icons-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Api } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { type ActiveFilter, ActiveFilters } from './active-filters.tsx'
import { useAddress } from './address.ts'
import { Empty } from './empty.tsx'
import { useFormats } from './formats.ts'
import { Problem } from './problem.tsx'
import { type Column, DataTable, type Selection, type TableProps } from './table.tsx'

/** A page of a list by cursor, whatever the endpoint calls its rows. */
export interface CursorPage<Row> {
  readonly data: readonly Row[]
  readonly cursor: string | null
  readonly hasMore: boolean
  readonly total?: number
}

export interface ListProps<Row extends { readonly id: string }> {
  /** The noun its queries belong to, and under which the choice of columns is kept. */
  readonly noun: string
  /** Further parts of the query's key, such as the id of what the list belongs to. */
  readonly of?: readonly unknown[]
  readonly label: string
  readonly columns?: readonly Column<Row>[]
  /** Shows each row as a picture with what belongs to it, instead of a table. */
  readonly tile?: (row: Row) => ReactNode
  /** Asks for one page; `query` has the cursor, the sorting and the values of the address that `filters` names. */
  readonly ask: (
    api: Api,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<{ readonly data?: CursorPage<Row>; readonly error?: unknown; readonly response: Response }>
  /** Asks for the total apart from the page, where counting takes long; without it the page has it. */
  readonly count?: (
    api: Api,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<{ readonly data?: { readonly count: number }; readonly error?: unknown; readonly response: Response }>
  readonly href?: (row: Row) => string
  readonly rowName?: (row: Row) => string
  /** Names of filters that stand in the address. */
  readonly filters?: readonly string[]
  /**
   * The text of a filter that is set, above the table: a text, the conditions it is made of, or null where another
   * filter has it. Without it, the name of its value.
   */
  readonly says?: (name: string, value: string) => ReactNode | readonly ActiveFilter[]
  /** The filters to choose, beside the search. */
  readonly controls?: ReactNode
  /** The placeholder of the search field; without it there is none. */
  readonly search?: string
  readonly selection?: Selection
  /** Hears of the rows that are shown, also of those that were asked for before. */
  readonly onRows?: (rows: readonly Row[]) => void
  readonly rowActions?: (row: Row) => ReactNode
  /** The content while nothing exists at all. */
  readonly empty: ReactNode
  readonly tools?: ReactNode
  /** Asks again after so many milliseconds. */
  readonly every?: number | ((page: CursorPage<Row> | undefined) => number | false)
  /** Sorting that the endpoint takes as `sort` and `dir`. */
  readonly sortedBy?: { readonly key: string; readonly direction: 'asc' | 'desc' }
}

/** A list with its search, filters, table and pages. All that is chosen stands in the address, so that Back works. */
export function List<Row extends { readonly id: string }>(props: ListProps<Row>) {
  const {
    noun,
    of = [],
    ask,
    count,
    filters = [],
    says,
    search,
    controls,
    empty,
    sortedBy,
    every = false,
    columns = [],
    tile,
    onRows,
  } = props
  const t = useTexts()
  const formats = useFormats()
  const { values, change } = useAddress()
  const names = [...(search === undefined ? [] : ['search']), ...filters]
  const chosen = Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))
  const sorting =
    sortedBy &&
    (values.sort ? ({ key: values.sort, direction: values.dir === 'asc' ? 'asc' : 'desc' } as const) : sortedBy)
  const query: Record<string, string> = { ...chosen }
  if (sorting && values.sort) Object.assign(query, { sort: sorting.key, dir: sorting.direction })
  if (values.cursor) query.cursor = values.cursor
  const page = useAsk<CursorPage<Row>>([noun, ...of, 'list', query], (api, signal) => ask(api, query, signal), {
    keep: true,
    every,
  })
  const rows = page.data?.data
  const hear = useEffectEvent((shown: readonly Row[]) => onRows?.(shown))
  useEffect(() => {
    if (rows) hear(rows)
  }, [rows])
  const isFiltered = Object.keys(chosen).length > 0
  const active = Object.entries(chosen).flatMap(([name, value = '']): readonly ActiveFilter[] => {
    const said = name === 'search' ? t.anywhere.searchedFor(value) : says === undefined ? undefined : says(name, value)
    if (isConditions(said)) return said
    return said === null ? [] : [{ key: name, text: said ?? t.status[value] ?? value, without: { [name]: undefined } }]
  })
  const pills = names.length === 0 ? null : <ActiveFilters of={active} />
  const clear = () =>
    change({ ...Object.fromEntries(names.map((name) => [name, undefined])), cursor: undefined, page: undefined })
  const at = Number(values.page ?? 1)
  const total = useTotal(page.data, values.cursor, JSON.stringify(chosen))
  const above = (
    <>
      {search === undefined ? null : <Search label={search} />}
      {controls}
    </>
  )
  return (
    <Stack gap="sm">
      {page.error && page.data === undefined ? (
        <div>
          {pills}
          <Problem error={page.error} retry={() => void page.refetch()} />
        </div>
      ) : (
        <Rows
          {...props}
          controls={search === undefined && controls === undefined ? null : above}
          pills={pills}
          columns={columns}
          tile={tile}
          name={noun}
          rows={rows}
          isStale={page.isPlaceholderData}
          sorting={sorting}
          {...(sorting
            ? {
                onSort: ({ key, direction }) =>
                  change({ sort: key, dir: direction, cursor: undefined, page: undefined }),
              }
            : {})}
          empty={
            isFiltered ? (
              <Empty
                title={t.anywhere.nothingFound}
                hint={t.anywhere.nothingFoundHint}
                action={
                  <Button variant="default" onClick={clear}>
                    {t.anywhere.clearFilters}
                  </Button>
                }
              />
            ) : (
              empty
            )
          }
        />
      )}
      {page.data !== undefined && (page.data.hasMore || values.cursor) ? (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t.anywhere.page(at)}
            {count !== undefined
              ? // while the page before is still shown, its successor is asked for first
                !page.isPlaceholderData && (
                  <Counted of={[noun, ...of, 'count', chosen]} by={(api, signal) => count(api, chosen, signal)} />
                )
              : total === undefined
                ? null
                : ` · ${t.anywhere.total(formats.number(total))}`}
          </Text>
          <Group gap="xs">
            {values.cursor ? (
              <>
                {at > 2 ? (
                  <Button variant="subtle" size="xs" onClick={() => change({ cursor: undefined, page: undefined })}>
                    {t.anywhere.firstPage}
                  </Button>
                ) : null}
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<IconChevronLeft size={14} />}
                  onClick={() => (at === 2 ? change({ cursor: undefined, page: undefined }) : history.back())}
                >
                  {t.anywhere.previous}
                </Button>
              </>
            ) : null}
            {page.data.hasMore ? (
              <Button
                variant="default"
                size="xs"
                rightSection={<IconChevronRight size={14} />}
                disabled={page.isPlaceholderData}
                onClick={() => change({ cursor: page.data?.cursor ?? undefined, page: String(at + 1) })}
              >
                {t.anywhere.next}
              </Button>
            ) : null}
          </Group>
        </Group>
      ) : null}
    </Stack>
  )
}

/** The rows of a list: a table, or tiles. */
function Rows<Row extends { readonly id: string }>({
  tile,
  ...table
}: TableProps<Row> & { readonly tile: ((row: Row) => ReactNode) | undefined }) {
  const { rows, label, empty } = table
  if (tile === undefined) return <DataTable {...table} />
  if (rows?.length === 0) return <Paper withBorder>{empty}</Paper>
  return (
    <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3, lg: 4 }} p={0} m={0} aria-label={label}>
      {rows === undefined
        ? Array.from({ length: 8 }, (_, at) => <Skeleton component="li" key={at} height={240} />)
        : rows.map((row) => (
            <Paper component="li" withBorder key={row.id} style={{ listStyle: 'none' }}>
              {tile(row)}
            </Paper>
          ))}
    </SimpleGrid>
  )
}

/** The search field of a list: what is typed stands in the address a moment later. */
export function Search({ label, name = 'search' }: { readonly label: string; readonly name?: string }) {
  const t = useTexts()
  const { values, change } = useAddress()
  const inAddress = values[name] ?? ''
  const [typed, setTyped] = useState(inAddress)
  useEffect(() => setTyped(inAddress), [inAddress])
  const look = useDebouncedCallback(
    (text: string) =>
      change({ [name]: text.trim(), cursor: undefined, page: undefined }, { replace: inAddress !== '' }),
    250,
  )
  const type = (text: string) => {
    setTyped(text)
    look(text)
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed === '' ? null : <CloseButton size="sm" aria-label={t.anywhere.clearFilters} onClick={() => type('')} />
      }
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      w={{ base: '100%', xs: 320 }}
      maxLength={500}
    />
  )
}

/** Pages by number, of the endpoints that have them. */
export function Pages({ total }: { readonly total: number }) {
  const t = useTexts()
  const { values, change } = useAddress()
  if (total < 2) return null
  return (
    <Pagination
      size="sm"
      gap={4}
      total={total}
      value={Number(values.page ?? 1)}
      onChange={(page) => change({ page: page === 1 ? undefined : String(page) })}
      getControlProps={(control) => ({ 'aria-label': control === 'next' ? t.anywhere.next : t.anywhere.previous })}
    />
  )
}

/** The total that is asked for once the page is there, so that the page does not wait for it. */
function Counted({
  of,
  by,
}: {
  readonly of: readonly [noun: string, ...rest: unknown[]]
  readonly by: (api: Api, signal: AbortSignal) => ReturnType<NonNullable<ListProps<never>['count']>>
}) {
  const t = useTexts()
  const formats = useFormats()
  const { data, isError } = useAsk(of, by)
  if (isError) return null
  return <> · {data === undefined ? t.anywhere.counting : t.anywhere.total(formats.number(data.count))}</>
}

function isConditions(said: ReactNode | readonly ActiveFilter[]): said is readonly ActiveFilter[] {
  return Array.isArray(said)
}

/** The total, which only the first page of a list says. */
function useTotal<Row>(page: CursorPage<Row> | undefined, cursor: string | undefined, of: string): number | undefined {
  const [known, setKnown] = useState<{ readonly of: string; readonly total: number } | undefined>()
  const total = cursor === undefined ? page?.total : undefined
  useEffect(() => {
    if (total !== undefined) setKnown({ of, total })
  }, [total, of])
  return known?.of === of ? known.total : total
}
