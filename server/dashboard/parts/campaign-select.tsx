import { useAsk } from '../api/ask.ts'
import { SearchSelect, type SearchSelectProps } from './search-select.tsx'

/** Chooses a campaign, found by a part of its name or subject. */
export function CampaignSelect({ value, ...props }: SearchSelectProps) {
  const { data: chosen } = useAsk(
    ['campaigns', value],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id: value } }, signal }),
    { enabled: value !== '' },
  )
  return (
    <SearchSelect
      {...props}
      noun="campaigns"
      find={(api, query, signal) => api.GET('/campaigns', { params: { query }, signal })}
      namesOf={({ campaigns }) => campaigns.map(({ id, name }) => [id, name])}
      chosen={chosen?.name}
      value={value}
    />
  )
}
