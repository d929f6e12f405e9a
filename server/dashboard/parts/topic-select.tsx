import { Select, type SelectProps } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'

/** Chooses the topic that mail goes out under, or none. Where the project has none, there is nothing to choose. */
export function TopicSelect({
  value,
  onChange,
  error,
  hint,
}: Pick<SelectProps, 'error'> & {
  /** Empty for none; null while it is asked for. */
  readonly value: string | null
  readonly onChange: (id: string) => void
  readonly hint?: string
}) {
  const t = useTexts()
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  const offered = (topics.data?.data ?? []).filter(({ id, archived }) => !archived || id === value)
  if (offered.length === 0 && !value) return null
  return (
    <Select
      label={t.topics.one}
      description={hint ?? t.topics.mailHint}
      data={[{ value: '', label: t.topics.none }, ...offered.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      placeholder={t.topics.choose}
      required={value === null}
      onChange={(id) => onChange(id ?? '')}
      allowDeselect={false}
      error={error}
      maw={560}
    />
  )
}
