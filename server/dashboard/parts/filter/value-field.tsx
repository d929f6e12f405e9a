import { Autocomplete, Group, Select, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useProject } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AmountInput } from '../amount-input.tsx'
import { useFormats } from '../formats.ts'
import classes from './filter-builder.module.css'
import { type Condition, type FieldTypes, takenBy, typedValue } from './language.ts'

/** Moments that the server keeps, and lists show by the clock of the reader. */
const MOMENTS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'pausedUntil'])

/** The value of a rule, in the field that its operator needs. */
export function ValueField({
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
  const formats = useFormats()
  const { field, operator, value, unit } = rule
  const { timeZone = 'UTC' } = useProject()
  // days in data are mostly written without a time; these are moments of the server
  const isUtcElsewhere =
    MOMENTS.has(field) && [timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone].some((zone) => zone !== 'UTC')
  const set = (changed: Condition['value']) => onChange({ ...rule, value: changed })
  const takes = takenBy(field, operator, types)
  switch (takes) {
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
          description={isUtcElsewhere ? t.filter.utcDay : undefined}
          inputWrapperOrder={['input', 'description', 'error']}
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
          value={Array.isArray(value) ? value.map((each) => textOf(each, formats)) : []}
          onChange={(texts) => set(texts.map((each) => (field === 'email' ? each : typedValue(each, formats))))}
          error={error}
          className={classes.value}
        />
      )
    default:
      return <TextValue field={field} value={value} set={set} error={error} isOfAnyType={takes === 'value'} />
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
  isOfAnyType,
}: {
  readonly field: string
  readonly value: Condition['value']
  readonly set: (value: string | number) => void
  readonly error: string | undefined
  readonly isOfAnyType: boolean
}) {
  const t = useTexts()
  const [isUsed, setUsed] = useState(false)
  const isData = field.startsWith('data.')
  const formats = useFormats()
  const values = useAsk(
    ['contacts', 'values', field],
    (api, signal) => api.GET('/contacts/fields/{field}/values', { params: { path: { field } }, signal }),
    { enabled: isData && isUsed },
  )
  const stored = values.data?.values ?? []
  const known = stored.flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' ? [textOf(each, formats)] : [],
  )
  // what contacts have as a text, such as “12,50”, is found by that text
  const read = (text: string) => (isOfAnyType && !stored.includes(text) ? typedValue(text, formats) : text)
  return (
    <Autocomplete
      aria-label={t.filter.value}
      data={[...new Set(known)]}
      value={value === undefined ? '' : textOf(value, formats)}
      onChange={(text) => set(read(text))}
      onFocus={() => setUsed(true)}
      error={error}
      className={classes.value}
    />
  )
}

/** A value as it is typed. */
function textOf(value: unknown, { plain }: Pick<ReturnType<typeof useFormats>, 'plain'>): string {
  return typeof value === 'number' ? plain(value) : String(value)
}
