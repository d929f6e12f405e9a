import { useAsk } from '../api/ask.ts'
import { SearchSelect, type SearchSelectProps } from '../parts/search-select.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Finds the campaign that a series is made from, by a part of its name or subject. */
export function PatternPicker({ value, ...props }: SearchSelectProps) {
  const t = useTexts()
  const { data: chosen } = useAsk(
    ['campaigns', value],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id: value } }, signal }),
    { enabled: value !== '' },
  )
  return (
    <SearchSelect
      {...props}
      label={t.series.pattern}
      description={t.series.patternHint}
      required
      noun="campaigns"
      find={(api, query, signal) => api.GET('/campaigns', { params: { query }, signal })}
      namesOf={({ campaigns }) => campaigns.map(({ id, name }) => [id, name])}
      chosen={chosen?.name}
      value={value}
    />
  )
}
