import { Button, Checkbox, Group, Menu, Paper, Skeleton, Table, Text, UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconColumns3 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useTexts } from '../texts/texts.tsx'
import stacked from './stacked.module.css'
import classes from './table.module.css'

export interface Column<Row> {
  /** Its name in the address, when the list can be sorted by it, and in the choice of columns. */
  readonly key: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'left' | 'right'
  readonly sortable?: boolean
  /** True for a column that is hidden until the user chooses it. */
  readonly hidden?: boolean
  readonly width?: number | string
  /** True for a column that is left out while no row has anything in it. */
  readonly sparse?: boolean
}

const NOTHING_CHOSEN: Readonly<Record<string, boolean>> = {}

interface Sorting {
  readonly key: string
  readonly direction: 'asc' | 'desc'
}

export interface Selection {
  readonly ids: ReadonlySet<string>
  change(ids: ReadonlySet<string>): void
}

export interface TableProps<Row extends { readonly id: string }> {
  /** Under which the choice of columns is kept in this browser, and what screen readers call the table. */
  readonly name: string
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are on their way. */
  readonly rows: readonly Row[] | undefined
  /** Where a row leads; its first column is the link. */
  readonly href?: (row: Row) => string
  /** The name of a row for screen readers, where its first column is no plain text. */
  readonly rowName?: (row: Row) => string
  readonly sorting?: Sorting | undefined
  readonly onSort?: (sorting: Sorting) => void
  readonly selection?: Selection
  /** The content when there are no rows. */
  readonly empty: ReactNode
  /** Shown at the end of each row. */
  readonly rowActions?: (row: Row) => ReactNode
  /** True while rows of another page or filter are shown until the new ones are here. */
  readonly isStale?: boolean
  /** Above the table, at its left: search and filters. They stay where they are when nothing is found. */
  readonly controls?: ReactNode
  /** Between these and the table: what narrows it. */
  readonly pills?: ReactNode
  /** Above the table, at its right. */
  readonly tools?: ReactNode
}

/** The table of all lists. On a phone each row is a block: its first column as heading, then what else there is, by name. */
export function DataTable<Row extends { readonly id: string }>(props: TableProps<Row>) {
  const { name, label, columns, rows, href, rowName, selection, empty, rowActions, isStale = false } = props
  const { controls, pills, tools } = props
  const t = useTexts()
  const [, navigate] = useLocation()
  // what was chosen, not what is hidden: columns that come later, and those of other projects, keep to their own default
  const [chosen, setChosen] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: `mailwright-chosen-columns-${name}`,
    defaultValue: NOTHING_CHOSEN,
    getInitialValueInEffect: false,
  })
  const isChosen = ({ key, hidden = false }: Column<Row>) => chosen[key] ?? !hidden
  const shown = columns.filter((column, at) => {
    const { sparse = false, cell } = column
    return at === 0 || (isChosen(column) && (!sparse || (rows ?? []).some((row) => cell(row))))
  })
  const nameOf = (row: Row) => rowName?.(row) ?? row.id
  const isEmpty = rows?.length === 0
  return (
    <div>
      <div className={classes.bar}>
        <Group gap="sm" align="flex-end" className={classes.controls}>
          {controls}
        </Group>
        {isEmpty ? null : tools}
        {columns.length > 3 && !isEmpty ? (
          <Menu closeOnItemClick={false} position="bottom-end">
            <Menu.Target>
              <Button variant="default" size="xs" leftSection={<IconColumns3 size={14} />}>
                {t.anywhere.chooseColumns}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {columns.slice(1).map((column) => {
                const { key, title } = column
                const isShown = isChosen(column)
                return (
                  <Menu.Item
                    key={key}
                    role="menuitemcheckbox"
                    aria-checked={isShown}
                    leftSection={<Checkbox.Indicator checked={isShown} size="xs" />}
                    onClick={() => setChosen({ ...chosen, [key]: !isShown })}
                  >
                    {title}
                  </Menu.Item>
                )
              })}
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </div>
      {pills}
      {isEmpty ? (
        <Paper withBorder>{empty}</Paper>
      ) : (
        <Paper withBorder className={`${classes.frame} ${stacked.stacked}`} data-stale={isStale || undefined}>
          <Table.ScrollContainer minWidth={Math.min(120 + shown.length * 100, 960)} type="native" tabIndex={0}>
            <Table verticalSpacing="sm" highlightOnHover aria-label={label} aria-busy={rows === undefined}>
              <Table.Thead>
                <Table.Tr>
                  {selection === undefined ? null : (
                    <Table.Th w={40}>
                      <PageCheckbox rows={rows ?? []} selection={selection} />
                    </Table.Th>
                  )}
                  {shown.map((column) => (
                    <Heading key={column.key} column={column} {...props} />
                  ))}
                  {rowActions === undefined ? null : <Table.Td w={48} />}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows === undefined
                  ? Array.from({ length: 8 }, (_, at) => (
                      <Table.Tr key={at}>
                        <Table.Td colSpan={shown.length + (selection ? 1 : 0) + (rowActions ? 1 : 0)}>
                          <Skeleton height={18} width={`${88 - ((at * 13) % 30)}%`} />
                        </Table.Td>
                      </Table.Tr>
                    ))
                  : rows.map((row) => (
                      <Table.Tr
                        key={row.id}
                        className={href === undefined ? '' : classes.linked}
                        onClick={(event) => {
                          const { target } = event
                          if (href === undefined || isControl(target) || String(getSelection()) !== '') return
                          navigate(href(row))
                        }}
                      >
                        {selection === undefined ? null : (
                          <Table.Td data-part="choice">
                            <Checkbox
                              aria-label={t.anywhere.selectRow(nameOf(row))}
                              checked={selection.ids.has(row.id)}
                              onChange={() => selection.change(toggled(selection.ids, row.id))}
                            />
                          </Table.Td>
                        )}
                        {shown.map(({ key, title, cell, align = 'left' }, at) => (
                          <Table.Td
                            key={key}
                            data-name={at === 0 ? undefined : title}
                            className={align === 'right' ? classes.number : classes.cell}
                          >
                            {at === 0 && href !== undefined ? (
                              <Link href={href(row)} className={classes.link}>
                                {cell(row)}
                              </Link>
                            ) : (
                              cell(row)
                            )}
                          </Table.Td>
                        ))}
                        {rowActions === undefined ? null : (
                          <Table.Td data-part="actions" className={classes.actions}>
                            {rowActions(row)}
                          </Table.Td>
                        )}
                      </Table.Tr>
                    ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
    </div>
  )
}

function Heading<Row extends { readonly id: string }>({
  column: { key, title, align = 'left', sortable = false, width },
  sorting,
  onSort,
}: TableProps<Row> & { readonly column: Column<Row> }) {
  const isSorted = sorting?.key === key
  const w = width === undefined ? {} : { w: width }
  if (!sortable || onSort === undefined) {
    return (
      <Table.Th ta={align} {...w}>
        {title}
      </Table.Th>
    )
  }
  const Icon = isSorted ? (sorting.direction === 'asc' ? IconArrowUp : IconArrowDown) : IconArrowsSort
  return (
    <Table.Th
      ta={align}
      {...w}
      aria-sort={isSorted ? (sorting.direction === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <UnstyledButton
        onClick={() => onSort({ key, direction: isSorted && sorting.direction === 'asc' ? 'desc' : 'asc' })}
      >
        <Group gap={4} wrap="nowrap" justify={align === 'right' ? 'flex-end' : 'flex-start'}>
          <Text size="sm" fw={600} span>
            {title}
          </Text>
          <Icon size={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

function PageCheckbox({
  rows,
  selection,
}: {
  readonly rows: readonly { readonly id: string }[]
  readonly selection: Selection
}) {
  const t = useTexts()
  const here = rows.filter(({ id }) => selection.ids.has(id)).length
  return (
    <Checkbox
      aria-label={t.anywhere.selectAll}
      checked={rows.length > 0 && here === rows.length}
      indeterminate={here > 0 && here < rows.length}
      onChange={() => {
        const ids = new Set(selection.ids)
        for (const { id } of rows) {
          if (here === rows.length) ids.delete(id)
          else ids.add(id)
        }
        selection.change(ids)
      }}
    />
  )
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

/** Whether a click was meant for a control in the row. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role="menuitem"]') !== null
}
