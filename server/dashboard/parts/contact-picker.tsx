import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { SearchSelect } from './search-select.tsx'

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
  const { data: chosen } = useAsk(
    ['contacts', value],
    (api, signal) => api.GET('/contacts/{id}', { params: { path: { id: value ?? '' } }, signal }),
    { enabled: value !== undefined },
  )
  return (
    <SearchSelect
      label={label}
      placeholder={t.preview.findContact}
      clearable
      noun="contacts"
      limit={PICKED}
      find={(api, query, signal) => api.GET('/contacts', { params: { query }, signal })}
      namesOf={({ data }) => data.map(({ id, email }) => [id, email])}
      chosen={chosen?.email}
      value={value ?? ''}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      error={error}
      comboboxProps={{ withinPortal: !inPopover }}
    />
  )
}
