import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { useCampaign } from './queries.ts'

/** Finds the campaign that a series is made from, by a part of its name or subject: of all, not of the newest alone. */
export function PatternPicker({
  value,
  onChange,
  error,
}: {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
}) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const chosen = useCampaign(value, value !== '')
  const name = chosen.data?.name
  // the name of the chosen one stands in the field, and is no search
  const [search] = useDebouncedValue(typed === name ? '' : typed, 200)
  const found = useAsk(
    ['campaigns', 'patterns', search],
    (api, signal) =>
      api.GET('/campaigns', { params: { query: { limit: 100, ...(search === '' ? {} : { search }) } }, signal }),
    { keep: true },
  )
  const names = new Map((found.data?.campaigns ?? []).map((each) => [each.id, each.name]))
  // an id says nothing to people: one that is gone, or not here yet, leaves the field empty
  if (name !== undefined) names.set(value, name)
  return (
    <Select
      label={t.series.pattern}
      description={t.series.patternHint}
      required
      searchable
      filter={({ options }) => options}
      data={[...names].map(([id, label]) => ({ value: id, label }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={setTyped}
      nothingFoundMessage={t.anywhere.nothingFound}
      error={error}
    />
  )
}
