import { Autocomplete, TagsInput, TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'
import { AmountInput } from '../parts/amount-input.tsx'
import { type Filter, kindOf } from '../parts/filter/language.ts'
import { useFilterFields } from '../parts/filter/use-fields.ts'
import { Rows } from '../parts/rows.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { FieldsProps } from './step-values.ts'

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
      <Branches
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
            miw={0}
            value={values.map(String)}
            onChange={(texts) => put({ values: texts.map((text) => read(text, values)) })}
            error={errorOf(`cases.${at}.values`)}
          />
        )}
      </Branches>
    </>
  )
}

/** The branches of a SPLIT with their percentages. */
export function SplitFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  return (
    <Branches
      label={t.workflows.shares}
      hint={t.workflows.sharesHint}
      error={form.errorOf('config.branches')}
      rows={form.values.branches}
      blank={{ branch: '', percent: 0 }}
      errorOf={(at) => errorOf(`branches.${at}.branch`)}
      onChange={(rows) => form.set('branches', rows)}
    >
      {({ percent }, at, put) => (
        <AmountInput
          aria-label={t.workflows.percent(at + 1)}
          suffix=" %"
          w={120}
          value={percent}
          onChange={(typed) => put({ percent: typed })}
          error={errorOf(`branches.${at}.percent`)}
        />
      )}
    </Branches>
  )
}

/** Branches, one in a row: each with its name and what leads there. */
function Branches<Row extends { readonly branch: string }>({
  errorOf,
  children,
  ...rows
}: Omit<ComponentProps<typeof Rows<Row>>, 'add' | 'remove'> & {
  readonly errorOf: (at: number) => string | undefined
}) {
  const t = useTexts()
  return (
    <Rows {...rows} add={t.workflows.addBranch} remove={t.workflows.removeBranch}>
      {(row, at, put) => (
        <>
          <TextInput
            aria-label={t.workflows.branchName(at + 1)}
            placeholder={t.workflows.branchNameHint}
            flex={1}
            miw={96}
            value={row.branch}
            onChange={({ currentTarget }) => put({ branch: currentTarget.value } as Partial<Row>)}
            error={errorOf(at)}
          />
          {children(row, at, put)}
        </>
      )}
    </Rows>
  )
}
