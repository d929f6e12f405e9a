import {
  ActionIcon,
  Autocomplete,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Filter, kindOf } from '../parts/filter/language.ts'
import { useFilterFields } from '../parts/filter/use-fields.ts'
import { useTexts } from '../texts/texts.tsx'
import type { FieldsProps } from './step-fields.tsx'

const NO_FILTER: Filter = { operator: 'AND', conditions: [] }

/** The fields of contacts that a step can look at. */
export function useDataFields(): string[] {
  const { types } = useFilterFields(NO_FILTER)
  return [...types.keys()].filter((each) => each.startsWith('data.'))
}

/** The field that a SWITCH looks at, and its branches with their values. */
export function SwitchFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  const { types } = useFilterFields(NO_FILTER)
  const fields = useDataFields()
  const { field, cases } = form.values
  // what was typed as a word of a field that is true or false is that; what was there before stays what it was
  const read = (text: string, before: readonly (string | number | boolean)[]) =>
    before.find((each) => String(each) === text) ??
    (kindOf(field, types) === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text)
  return (
    <>
      <Autocomplete
        label={t.workflows.field}
        description={t.workflows.fieldHint}
        required
        data={['email', 'subscribed', ...fields]}
        value={field}
        onChange={(chosen) => form.set('field', chosen)}
        error={errorOf('field')}
      />
      <Rows
        label={t.workflows.cases}
        hint={t.workflows.casesHint}
        error={form.errorOf('config.cases')}
        rows={cases}
        blank={{ branch: '', values: [] }}
        errorOf={(at) => errorOf(`cases.${at}.branch`)}
        onChange={(rows) => form.set('cases', rows)}
      >
        {({ values }, at, put) => (
          <TagsInput
            aria-label={t.workflows.branchValues(at + 1)}
            placeholder={t.workflows.branchValuesHint}
            flex={2}
            value={values.map(String)}
            onChange={(texts) => put({ values: texts.map((text) => read(text, values)) })}
            error={errorOf(`cases.${at}.values`)}
          />
        )}
      </Rows>
    </>
  )
}

/** The branches of a SPLIT with their percentages. */
export function SplitFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  return (
    <Rows
      label={t.workflows.shares}
      hint={t.workflows.sharesHint}
      error={form.errorOf('config.branches')}
      rows={form.values.branches}
      blank={{ branch: '', percent: 0 }}
      errorOf={(at) => errorOf(`branches.${at}.branch`)}
      onChange={(rows) => form.set('branches', rows)}
    >
      {({ percent }, at, put) => (
        <NumberInput
          aria-label={t.workflows.percent(at + 1)}
          suffix=" %"
          w={120}
          value={percent}
          onChange={(typed) => put({ percent: Number(typed) })}
          error={errorOf(`branches.${at}.percent`)}
        />
      )}
    </Rows>
  )
}

/** Branches, one in a row: each with its name and what leads there. */
function Rows<Row extends { readonly branch: string }>({
  label,
  hint,
  error,
  rows,
  blank,
  errorOf,
  onChange,
  children,
}: {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly rows: readonly Row[]
  readonly blank: Row
  readonly errorOf: (at: number) => string | undefined
  readonly onChange: (rows: readonly Row[]) => void
  readonly children: (row: Row, at: number, put: (changed: Partial<Row>) => void) => ReactNode
}) {
  const t = useTexts()
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
            <TextInput
              aria-label={t.workflows.branchName(at + 1)}
              placeholder={t.workflows.branchNameHint}
              flex={1}
              value={row.branch}
              onChange={({ currentTarget }) => put(at, { branch: currentTarget.value } as Partial<Row>)}
              error={errorOf(at)}
            />
            {children(row, at, (changed) => put(at, changed))}
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              aria-label={t.workflows.removeBranch(at + 1)}
              onClick={() => onChange(rows.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {error ? (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        ) : null}
        <Button
          variant="light"
          size="xs"
          leftSection={<IconPlus size={14} />}
          w="fit-content"
          onClick={() => onChange([...rows, blank])}
        >
          {t.workflows.addBranch}
        </Button>
      </Stack>
    </Fieldset>
  )
}
