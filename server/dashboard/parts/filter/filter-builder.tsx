import { ActionIcon, Button, Group, NumberInput, Paper, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { IconFolderPlus, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { useFormats } from '../formats.ts'
import classes from './filter-builder.module.css'
import {
  type Condition,
  type Filter,
  fieldName,
  inWords,
  isGroup,
  isOfRun,
  kindOf,
  MAX_DEPTH,
  operatorName,
  operatorsOf,
  withOperator,
} from './language.ts'
import { useFilterFields, useFoundFields } from './use-fields.ts'
import { ValueField } from './value-field.tsx'

export interface FilterBuilderProps {
  readonly value: Filter
  readonly onChange: (filter: Filter) => void
  /** The API's problem with a part, by its path: `conditions.1.operator`. */
  readonly errorOf?: (path: string) => string | undefined
  /** Whether rules may ask for what the run of a workflow brings along: values of its event and of its context. */
  readonly ofRun?: boolean
}

/** Builds a filter: rules and groups of rules, and below them what they say. */
export function FilterBuilder({ value, onChange, errorOf, ofRun = false }: FilterBuilderProps) {
  const t = useTexts()
  const formats = useFormats()
  const fields = useFilterFields(value)
  return (
    <Stack gap="sm">
      <GroupOfRules
        filter={value}
        onChange={onChange}
        depth={1}
        path=""
        fields={fields}
        errorOf={errorOf ?? NONE}
        ofRun={ofRun}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {/* only a search without rules finds everyone: what is stored needs one */}
        {errorOf !== undefined && value.conditions.length === 0
          ? errorOf('conditions') === undefined && t.filter.noRule
          : `${t.filter.who}: ${inWords(value, t, fields.types, fields.names, formats)}`}
      </Text>
    </Stack>
  )
}

/** The filter in words, where it is only shown. */
export function FilterWords({ filter }: { readonly filter: Filter }) {
  const t = useTexts()
  const formats = useFormats()
  const { types, names } = useFilterFields(filter)
  return <>{inWords(filter, t, types, names, formats)}</>
}

const NONE = () => undefined

interface PartProps {
  readonly fields: ReturnType<typeof useFilterFields>
  readonly path: string
  readonly errorOf: (path: string) => string | undefined
  readonly ofRun: boolean
}

/** Tells a value of the run from the event of that name, in the list to choose from. */
const RUN = 'run '

function GroupOfRules({
  filter,
  onChange,
  onRemove,
  depth,
  ...rest
}: PartProps & {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly onRemove?: () => void
  readonly depth: number
}) {
  const t = useTexts()
  const { operator, conditions } = filter
  const put = (at: number, part: Condition | Filter | undefined) =>
    onChange({ operator, conditions: conditions.flatMap((each, index) => (index === at ? (part ?? []) : each)) })
  const add = (part: Condition | Filter) => onChange({ operator, conditions: [...conditions, part] })
  const blank: Condition = { field: '', operator: 'equals', value: '' }
  const refusal = rest.errorOf(`${rest.path}conditions`)
  return (
    <Paper
      withBorder
      p="sm"
      role="group"
      aria-label={depth === 1 ? t.filter.label : t.filter.group}
      className={depth % 2 === 0 ? classes.inner : undefined}
    >
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Text size="sm">{t.filter.who}</Text>
            <SegmentedControl
              size="xs"
              value={operator}
              onChange={(chosen) => onChange({ operator: chosen === 'OR' ? 'OR' : 'AND', conditions })}
              data={[
                { value: 'AND', label: t.filter.all },
                { value: 'OR', label: t.filter.any },
              ]}
            />
          </Group>
          {onRemove === undefined ? null : (
            <ActionIcon variant="subtle" color="gray" aria-label={t.filter.removeGroup} onClick={onRemove}>
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
        {conditions.map((part, at) => {
          const path = `${rest.path}conditions.${at}.`
          return isGroup(part) ? (
            <GroupOfRules
              key={at}
              {...rest}
              filter={part}
              path={path}
              depth={depth + 1}
              onChange={(changed) => put(at, changed)}
              onRemove={() => put(at, undefined)}
            />
          ) : (
            <Rule
              key={at}
              {...rest}
              path={path}
              rule={part}
              onChange={(changed) => put(at, changed)}
              onRemove={() => put(at, undefined)}
            />
          )
        })}
        <Group gap="xs">
          <Button variant="light" size="xs" leftSection={<IconPlus size={14} />} onClick={() => add(blank)}>
            {t.filter.addRule}
          </Button>
          {depth < MAX_DEPTH ? (
            <Button
              variant="subtle"
              size="xs"
              leftSection={<IconFolderPlus size={14} />}
              onClick={() => add({ operator: operator === 'AND' ? 'OR' : 'AND', conditions: [blank] })}
            >
              {t.filter.addGroup}
            </Button>
          ) : null}
        </Group>
        {refusal === undefined ? null : (
          <Text size="xs" c="var(--mantine-color-error)">
            {conditions.length === 0 ? t.filter.noRule : refusal}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function Rule({
  rule,
  onChange,
  onRemove,
  fields,
  path,
  errorOf,
  ofRun,
}: PartProps & {
  readonly rule: Condition
  readonly onChange: (rule: Condition) => void
  readonly onRemove: () => void
}) {
  const t = useTexts()
  const { types, names } = fields
  const [typed, setTyped] = useState('')
  const options = useFoundFields(typed, fields)
  const { field, operator, count } = rule
  const isValueOfRun = isOfRun(field, operator)
  const isKnown = isValueOfRun || options.some(({ items }) => items.some(({ value }) => value === field))
  // a field that no contact has yet, or of a path into a list, stands in the list as well
  const known =
    field === '' || isKnown
      ? options
      : [...options, { group: t.filter.groups.data, items: [{ value: field, label: fieldName(field, t, names) }] }]
  const valueOfRun = (name: string) => ({ value: RUN + name, label: fieldName(name, t, names, 'equals') })
  const chosenOfRun = isValueOfRun ? [valueOfRun(field)] : []
  const isTyped = ofRun && /^[^\s.]+(\.[^\s.]+)*$/.test(typed.trim())
  const typedOfRun = isTyped ? ['event', 'context'].map((source) => valueOfRun(`${source}.${typed.trim()}`)) : []
  const items = [...chosenOfRun, ...typedOfRun.filter(({ value }) => value !== RUN + field)]
  const data = items.length === 0 ? known : [...known, { group: t.filter.groups.run, items }]
  const choose = (chosen: string | null) => {
    if (chosen === null) return
    if (chosen.startsWith(RUN)) return onChange(withOperator(rule, chosen.slice(RUN.length), 'equals', types))
    const allowed = operatorsOf(chosen, types)
    onChange(withOperator(rule, chosen, allowed.includes(operator) ? operator : (allowed[0] ?? 'equals'), types))
  }
  return (
    <div className={classes.rule}>
      <Select
        aria-label={t.filter.field}
        placeholder={t.filter.chooseField}
        data={data}
        value={field === '' ? null : isValueOfRun ? RUN + field : field}
        onChange={choose}
        onSearchChange={setTyped}
        searchable
        allowDeselect={false}
        error={errorOf(`${path}field`) ?? (fields.isGone(field) ? t.filter.gone : undefined)}
        nothingFoundMessage={t.anywhere.nothingFound}
        className={classes.field}
      />
      {field === '' ? null : (
        <>
          <Select
            aria-label={t.filter.operator}
            data={operatorsOf(field, types, operator).map((each) => ({
              value: each,
              label: operatorName(field, each, t, types),
            }))}
            value={operator}
            onChange={(chosen) => chosen && onChange(withOperator(rule, field, chosen, types))}
            allowDeselect={false}
            error={errorOf(`${path}operator`)}
            className={classes.operator}
          />
          <ValueField
            rule={rule}
            onChange={onChange}
            types={types}
            error={errorOf(`${path}value`) ?? errorOf(`${path}unit`)}
          />
          {kindOf(field, types, operator) === 'event' &&
          !operator.startsWith('not') &&
          operator !== 'triggeredOlderThan' ? (
            <NumberInput
              aria-label={t.filter.least}
              title={t.filter.least}
              prefix="≥ "
              suffix=" ×"
              min={1}
              max={1_000_000}
              value={count ?? 1}
              onChange={(times) => {
                const { count: _, ...others } = rule
                onChange(Number(times) > 1 ? { ...others, count: Number(times) } : others)
              }}
              error={errorOf(`${path}count`)}
              w={100}
            />
          ) : null}
        </>
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={t.filter.removeRule} onClick={onRemove} mt={4}>
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  )
}
