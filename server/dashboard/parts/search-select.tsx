import { Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Api } from '../api/client.ts'
import type { Call } from '../api/effects.ts'
import { useTexts } from '../texts/texts.tsx'

/** The props of a field that chooses a record: its value is an id, empty while none is chosen. */
export interface SearchSelectProps
  extends Pick<SelectProps, 'label' | 'description' | 'placeholder' | 'error' | 'required' | 'clearable' | 'disabled'> {
  readonly value: string
  readonly onChange: (id: string) => void
}

/** Chooses a record by a part of what it is called: of all, not of the newest alone. */
export function SearchSelect<Found>({
  noun,
  limit = 100,
  find,
  namesOf,
  chosen,
  value,
  onChange,
  ...props
}: SearchSelectProps &
  Pick<SelectProps, 'comboboxProps'> & {
    readonly noun: string
    /** How many are offered at once: the newest, or those that a search finds. */
    readonly limit?: number
    readonly find: (api: Api, query: { limit: number; search?: string }, signal: AbortSignal) => Promise<Call<Found>>
    /** The ids of those found, with what each is called. */
    readonly namesOf: (found: Found) => readonly (readonly [id: string, name: string])[]
    /** The name of the chosen one, once that is known. */
    readonly chosen: string | undefined
  }) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const [waited] = useDebouncedValue(typed, 200)
  // what is chosen stands in the field, and is no search
  const search = waited === chosen ? '' : waited
  const found = useAsk(
    [noun, 'picker', search],
    (api, signal) => find(api, { limit, ...(search === '' ? {} : { search }) }, signal),
    { keep: true },
  )
  const names = new Map(found.data === undefined ? [] : namesOf(found.data))
  // an id says nothing to people: one that is gone, or not here yet, leaves the field empty
  if (chosen !== undefined) names.set(value, chosen)
  return (
    <Select
      {...props}
      data={[...names].map(([id, label]) => ({ value: id, label }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={setTyped}
      searchable
      filter={({ options }) => options}
      nothingFoundMessage={t.anywhere.nothingFound}
    />
  )
}
