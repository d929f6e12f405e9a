import { ActionIcon, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Things of a kind, one in a row of fields, to be added and taken away. */
export function Rows<Row>({
  label,
  hint,
  rows,
  blank,
  add,
  remove,
  error,
  readOnly = false,
  onChange,
  children,
}: {
  readonly label: string
  readonly hint: string
  readonly rows: readonly Row[]
  /** The row that is added. */
  readonly blank: Row
  /** The label of the button below the rows, and of the one in a row, which is counted from 1. */
  readonly add: string
  readonly remove: (n: number) => string
  /** The problem with all of them together. */
  readonly error: string | undefined
  /** True for users who may only read them: nothing is offered. */
  readonly readOnly?: boolean
  readonly onChange: (rows: readonly Row[]) => void
  /** The fields of a row. */
  readonly children: (row: Row, at: number, put: (changed: Partial<Row>) => void) => ReactNode
}) {
  const put = (at: number, changed: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changed } : row)))
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
        {rows.map((row, at) => (
          <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
            {children(row, at, (changed) => put(at, changed))}
            {readOnly ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                mt={4}
                aria-label={remove(at + 1)}
                onClick={() => onChange(rows.filter((_, index) => index !== at))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {error ? (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        ) : null}
        {readOnly ? null : (
          <Button
            variant="light"
            size="xs"
            leftSection={<IconPlus size={14} />}
            w="fit-content"
            onClick={() => onChange([...rows, blank])}
          >
            {add}
          </Button>
        )}
      </Stack>
    </Fieldset>
  )
}
