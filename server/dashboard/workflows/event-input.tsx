import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useAsk } from '../api/ask.ts'

/** The name of an event: one the project knows, or one still to come. */
export function EventInput(props: AutocompleteProps) {
  const names = useAsk(['events', 'names'], (api, signal) => api.GET('/events/names', { signal }))
  return <Autocomplete data={names.data?.eventNames ?? []} limit={20} maxLength={255} {...props} />
}
