import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useAsk } from '../api/ask.ts'

/** Events of the service that begin something, the most usual first. */
const OF_SERVICE = [
  'contact.created',
  'contact.subscribed',
  'contact.unsubscribed',
  'form.submitted',
  'email.open',
  'email.click',
  'email.replied',
  'email.received',
  'inbox.message.received',
]

/** The name of an event: one of the service, one the project knows, or one still to come. */
export function EventInput(props: AutocompleteProps) {
  const names = useAsk(['events', 'names'], (api, signal) => api.GET('/events/names', { signal }))
  const all = [...new Set([...OF_SERVICE, ...(names.data?.eventNames ?? [])])]
  return <Autocomplete data={all} limit={30} maxLength={255} {...props} />
}
