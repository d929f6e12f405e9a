import { Switch, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useAsk } from '../api/ask.ts'
import { FilterBuilder } from '../parts/filter/filter-builder.tsx'
import { type Filter, isGroup } from '../parts/filter/language.ts'
import type { Form } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'

export interface SegmentValues {
  readonly name: string
  readonly description: string
  readonly type: 'DYNAMIC' | 'STATIC'
  readonly filters: Filter
  readonly trackMembership: boolean
}

/** The fields of a segment, with the count of whom its rules find as they stand. */
export function SegmentFields({ form }: { readonly form: Form<SegmentValues> }) {
  const t = useTexts()
  return (
    <>
      <TextInput label={t.segments.name} required {...form.text('name')} />
      {form.values.type === 'DYNAMIC' ? (
        <>
          <FilterBuilder
            value={form.values.filters}
            onChange={(filters) => form.set('filters', filters)}
            errorOf={(path) => form.errorOf(`filters.${path}`)}
          />
          <LiveCount filter={form.values.filters} />
        </>
      ) : null}
      <Switch label={t.segments.tracked} description={t.segments.trackedHint} {...form.check('trackMembership')} />
      <Textarea label={t.segments.description} autosize minRows={2} {...form.text('description')} />
    </>
  )
}

/** How many contacts match the rules now, while they are being written. */
function LiveCount({ filter }: { readonly filter: Filter }) {
  const t = useTexts()
  const formats = useFormats()
  const [asked] = useDebouncedValue(isWhole(filter) ? JSON.stringify(filter) : undefined, 500)
  const found = useAsk(
    ['contacts', 'count', asked],
    (api, signal) => api.GET('/contacts/count', { params: { query: { filter: asked ?? '' } }, signal }),
    { enabled: asked !== undefined },
  )
  return (
    <strong aria-live="polite">
      {found.error
        ? t.segments.notCounted
        : found.data
          ? t.segments.count(formats.number(found.data.count))
          : found.isFetching
            ? t.anywhere.counting
            : ''}
    </strong>
  )
}

/** Whether each rule has a field, and a value where one is typed. */
function isWhole(filter: Filter): boolean {
  return (
    filter.conditions.length > 0 &&
    filter.conditions.every((part) => (isGroup(part) ? isWhole(part) : part.field !== '' && part.value !== ''))
  )
}
