import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'

/** How many are offered. */
export const PICKED = 8

/** Finds one contact by a part of the address. */
export function ContactPicker({
  label,
  value,
  onChange,
  error,
  inPopover = false,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (id: string | undefined) => void
  readonly error?: string | undefined
  /** True within something that closes once the mouse goes down outside of it. Default false. */
  readonly inPopover?: boolean
}) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed, 200)
  const found = useAsk(
    ['contacts', 'picker', search],
    (api, signal) =>
      api.GET('/contacts', { params: { query: { limit: PICKED, ...(search === '' ? {} : { search }) } }, signal }),
    { keep: true },
  )
  const chosen = useAsk(
    ['contacts', value],
    (api, signal) => api.GET('/contacts/{id}', { params: { path: { id: value ?? '' } }, signal }),
    { enabled: value !== undefined },
  )
  const people = new Map((found.data?.data ?? []).map(({ id, email }) => [id, email]))
  if (chosen.data) people.set(chosen.data.id, chosen.data.email)
  return (
    <Select
      label={label}
      placeholder={t.preview.findContact}
      data={[...people].map(([id, email]) => ({ value: id, label: email }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      searchable
      clearable
      filter={({ options }) => options}
      nothingFoundMessage={t.anywhere.nothingFound}
      error={error}
      comboboxProps={{ withinPortal: !inPopover }}
    />
  )
}
