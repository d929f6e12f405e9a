import { useMemo } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { type FieldTypes, fieldName } from './language.ts'

const ACTIVITIES = ['sent', 'delivery', 'open', 'click', 'bounce', 'complaint']
/** How many campaigns there are to choose from: the newest. */
const NEWEST = 100
const OF_CONTACT = ['email', 'subscribed', 'tracking', 'createdAt', 'updatedAt']

/** All that a filter can ask for in this project, with names for people. */
export function useFilterFields() {
  const t = useTexts()
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  const events = useAsk(['events', 'names'], (api, signal) => api.GET('/events/names', { signal }))
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const campaigns = useAsk(['campaigns', 'sent'], (api, signal) =>
    api.GET('/campaigns', { params: { query: { limit: NEWEST } }, signal }),
  )
  return useMemo(() => {
    const types: FieldTypes = new Map((fields.data?.fields ?? []).map(({ field, type }) => [field, type]))
    const sent = (campaigns.data?.campaigns ?? []).filter(({ status }) => status !== 'DRAFT' && status !== 'SCHEDULED')
    const names = new Map([...(segments.data ?? []), ...sent].map(({ id, name }) => [id, name]))
    const custom = (events.data?.eventNames ?? []).filter((name) => !name.startsWith('email.'))
    const option = (field: string) => ({ value: field, label: fieldName(field, t, names) })
    const options = [
      { group: t.filter.groups.contact, items: OF_CONTACT.map(option) },
      {
        group: t.filter.groups.data,
        items: [...types.keys()].filter((field) => field.startsWith('data.')).map(option),
      },
      { group: t.filter.groups.mail, items: ACTIVITIES.map((name) => option(`email.${name}`)) },
      { group: t.filter.groups.events, items: custom.map((name) => option(`event.${name}`)) },
      { group: t.filter.groups.segments, items: (segments.data ?? []).map(({ id }) => option(`segment.${id}`)) },
      { group: t.filter.groups.campaigns, items: sent.map(({ id }) => option(`campaign.${id}`)) },
    ].filter(({ items }) => items.length > 0)
    return { types, names, options, isReady: fields.data !== undefined && segments.data !== undefined }
  }, [fields.data, events.data, segments.data, campaigns.data, t])
}
