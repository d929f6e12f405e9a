import { Select } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'

export type Encoding = components['schemas']['ImportPreview']['encoding']

/** The choice of the encoding, for a file whose letters are not sure: most programs write UTF-8, which is. */
export function ImportEncoding({
  found,
  named,
  error,
  onChange,
}: {
  /** The encoding that the file was read with. */
  readonly found: Encoding | undefined
  readonly named: Encoding | undefined
  readonly error: Error | null
  readonly onChange: (encoding: Encoding) => void
}) {
  const t = useTexts()
  const { encodings: offered } = t.contacts
  const isOffered = (value: string | null): value is keyof typeof offered =>
    value !== null && Object.hasOwn(offered, value)
  const isRefused =
    error instanceof ApiError &&
    error.fields.some(({ field, message }) => field === 'file' && /Windows-1252/.test(message))
  if (named === undefined && found !== 'windows-1252' && !isRefused) return null
  return (
    <Select
      label={t.contacts.encoding}
      description={t.contacts.encodingHint}
      allowDeselect={false}
      maw={480}
      data={Object.entries(offered).map(([value, label]) => ({ value, label }))}
      value={named ?? (isRefused ? null : (found ?? null))}
      onChange={(value) => {
        if (isOffered(value)) onChange(value)
      }}
    />
  )
}

/** The choices for columns whose names are the same in each encoding. */
export function plainOf<Value>(wanted: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(wanted).filter(([header]) => /^[\x20-\x7e]*$/.test(header)))
}
