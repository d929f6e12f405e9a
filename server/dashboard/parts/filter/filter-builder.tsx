import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconFolderPlus, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AmountInput } from '../amount-input.tsx'
import classes from './filter-builder.module.css'
import {
  type Condition,
  type FieldTypes,
  type Filter,
  fieldName,
  inWords,
  isGroup,
  isOfRun,
  kindOf,
  MAX_DEPTH,
  operatorName,
  operatorsOf,
  takenBy,
  typedValue,
  withOperator,
} from './language.ts'
import { useFilterFields, useFoundFields } from './use-fields.ts'

export interface FilterBuilderProps {
  readonly value: Filter
  readonly onChange: (filter: Filter) => void
  /** What the API says of a part, by its path: `conditions.1.operator`. */
  readonly errorOf?: (path: string) => string | undefined
  /** Whether rules may ask for what the run of a workflow brings along: values of its event and of its context. */
  readonly ofRun?: boolean
}

/** Builds a filter: rules and groups of rules, and below them what they say. */
export function FilterBuilder({ value, onChange, errorOf = () => undefined, ofRun = false }: FilterBuilderProps) {
  const t = useTexts()
  const fields = useFilterFields(value)
  return (
    <Stack gap="sm">
      <GroupOfRules
        filter={value}
        onChange={onChange}
        depth={1}
        path=""
        fields={fields}
        errorOf={errorOf}
        ofRun={ofRun}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {t.filter.who}: {inWords(value, t, fields.types, fields.names)}
      </Text>
    </Stack>
  )
}

/** The filter in words, where it is only shown. */
export function FilterWords({ filter }: { readonly filter: Filter }) {
  const t = useTexts()
  const { types, names } = useFilterFields(filter)
  return <>{inWords(filter, t, types, names)}</>
}

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
        error={errorOf(`${path}field`)}
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

function ValueField({
  rule,
  onChange,
  types,
  error,
}: {
  readonly rule: Condition
  readonly onChange: (rule: Condition) => void
  readonly types: FieldTypes
  readonly error: string | undefined
}) {
  const t = useTexts()
  const { field, operator, value, unit } = rule
  const set = (changed: Condition['value']) => onChange({ ...rule, value: changed })
  switch (takenBy(field, operator, types)) {
    case 'nothing':
      return null
    case 'boolean':
      return (
        <Select
          aria-label={t.filter.value}
          data={[
            { value: 'true', label: t.filter.yes },
            { value: 'false', label: t.filter.no },
          ]}
          value={String(value !== false)}
          onChange={(chosen) => set(chosen !== 'false')}
          allowDeselect={false}
          error={error}
          w={110}
        />
      )
    case 'consent':
      return (
        <Select
          aria-label={t.filter.value}
          data={(['full', 'anonymous', 'none'] as const).map((each) => ({
            value: each,
            label: t.contacts.consents[each],
          }))}
          value={String(value)}
          onChange={(chosen) => chosen && set(chosen)}
          allowDeselect={false}
          error={error}
          w={220}
        />
      )
    case 'span':
      return (
        <Group gap={4} wrap="nowrap" align="flex-start">
          <AmountInput
            aria-label={t.filter.value}
            min={1}
            value={Number(value)}
            onChange={(amount) => set(amount)}
            error={error}
            w={90}
          />
          <Select
            aria-label={t.filter.unit}
            data={(['minutes', 'hours', 'days'] as const).map((each) => ({
              value: each,
              label: t.filter.units[each] ?? each,
            }))}
            value={unit ?? 'days'}
            onChange={(chosen) => chosen && onChange({ ...rule, unit: chosen as 'minutes' | 'hours' | 'days' })}
            allowDeselect={false}
            w={120}
          />
        </Group>
      )
    case 'days':
      return (
        <AmountInput
          aria-label={t.filter.value}
          title={t.filter.today}
          suffix={` ${t.filter.units.days}`}
          min={0}
          max={365}
          value={Number(value)}
          onChange={(days) => set(days)}
          error={error}
          w={150}
        />
      )
    case 'number':
      return (
        <AmountInput
          aria-label={t.filter.value}
          value={Number(value)}
          onChange={(number) => set(number)}
          error={error}
          w={150}
        />
      )
    case 'date':
      return (
        <TextInput
          type="date"
          aria-label={t.filter.value}
          value={String(value ?? '').slice(0, 10)}
          onChange={({ currentTarget }) => set(currentTarget.value)}
          error={error}
          w={170}
        />
      )
    case 'link':
      return (
        <LinkValue campaign={field.slice('campaign.'.length)} value={String(value ?? '')} set={set} error={error} />
      )
    case 'list':
      return (
        <TagsInput
          aria-label={t.filter.values}
          placeholder={t.filter.values}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(texts) => set(texts.map((each) => (field === 'email' ? each : typedValue(each))))}
          error={error}
          className={classes.value}
        />
      )
    default:
      return <TextValue field={field} value={value} set={set} error={error} />
  }
}

/** The address of a link, with those that were followed in the campaign's mails to choose from. */
function LinkValue({
  campaign,
  value,
  set,
  error,
}: {
  readonly campaign: string
  readonly value: string
  readonly set: (value: string) => void
  readonly error: string | undefined
}) {
  const t = useTexts()
  const links = useAsk(['campaigns', campaign, 'links'], (api, signal) =>
    api.GET('/campaigns/{id}/links', { params: { path: { id: campaign } }, signal }),
  )
  return (
    <Autocomplete
      aria-label={t.filter.link}
      placeholder={t.filter.chooseLink}
      data={(links.data ?? []).map(({ url }) => url)}
      value={value}
      onChange={set}
      error={error}
      className={classes.value}
    />
  )
}

/** A text, with values that contacts have already to choose from. */
function TextValue({
  field,
  value,
  set,
  error,
}: {
  readonly field: string
  readonly value: Condition['value']
  readonly set: (value: string | number) => void
  readonly error: string | undefined
}) {
  const t = useTexts()
  const [isUsed, setUsed] = useState(false)
  const isData = field.startsWith('data.')
  const values = useAsk(
    ['contacts', 'values', field],
    (api, signal) => api.GET('/contacts/fields/{field}/values', { params: { path: { field } }, signal }),
    { enabled: isData && isUsed },
  )
  const known = (values.data?.values ?? []).flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' ? [String(each)] : [],
  )
  return (
    <Autocomplete
      aria-label={t.filter.value}
      data={[...new Set(known)]}
      value={value === undefined ? '' : String(value)}
      onChange={(text) => set(isData ? typedValue(text) : text)}
      onFocus={() => setUsed(true)}
      error={error}
      className={classes.value}
    />
  )
}
