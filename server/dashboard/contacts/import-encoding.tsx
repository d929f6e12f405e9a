import { Select } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'

export type Encoding = components['schemas']['ImportPreview']['encoding']

const OFFERED = [
  'windows-1252',
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1257',
  'windows-1251',
  'windows-1253',
  'utf-8',
] as const satisfies readonly Encoding[]

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
      data={OFFERED.map((value) => ({ value, label: t.contacts.encodings[value] }))}
      value={named ?? (isRefused ? null : (found ?? null))}
      onChange={(value) => {
        const chosen = OFFERED.find((each) => each === value)
        if (chosen !== undefined) onChange(chosen)
      }}
    />
  )
}

/** The choices for columns whose names are the same in each encoding. */
export function plainOf<Value>(wanted: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(wanted).filter(([header]) => /^[\x20-\x7e]*$/.test(header)))
}
