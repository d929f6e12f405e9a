import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useAsk } from '../../api/ask.ts'
import { answerOf } from '../../api/client.ts'
import { useApi, useProjectId } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type FieldTypes, type Filter, fieldName, isGroup } from './language.ts'

const ACTIVITIES = ['sent', 'delivery', 'open', 'click', 'bounce', 'complaint', 'replied']
/** How many campaigns are offered at once: the newest, or those that a search finds. */
const OFFERED = 100
const OF_CONTACT = ['email', 'subscribed', 'tracking', 'pausedUntil', 'everyDays', 'createdAt', 'updatedAt']
const CAMPAIGN = 'campaign.'

/** All that a filter can ask for in this project, with names for people; of campaigns the newest and those in `filter`. */
export function useFilterFields(filter: Filter) {
  const t = useTexts()
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  const events = useAsk(['events', 'names'], (api, signal) => api.GET('/events/names', { signal }))
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  const campaigns = useCampaigns('')
  const asked = campaigns.data === undefined ? '' : campaignsIn(filter, campaigns.data).join(' ')
  const chosen = useNames(useMemo(() => (asked === '' ? [] : asked.split(' ')), [asked]))
  const used = fieldsIn(filter).join('\n')
  return useMemo(() => {
    const types: FieldTypes = new Map((fields.data?.fields ?? []).map(({ field, type }) => [field, type]))
    const newest = campaigns.data ?? []
    const names = new Map([...(segments.data ?? []), ...newest].map(({ id, name }) => [id, name]))
    for (const [id, name] of chosen.names) names.set(id, name)
    const ofTopics = topics.data?.data ?? []
    for (const { id, slug, name } of ofTopics) names.set(slug, name).set(id, name)
    // what rules are about and was deleted, as far as that is known by now
    const gone = used.split('\n').filter((field) => {
      const [, kind, id = ''] = /^(segment|topic|campaign)\.(.*)$/.exec(field) ?? []
      if (kind === 'campaign') return chosen.gone.includes(id)
      const list = kind === 'segment' ? segments.data : kind === 'topic' ? topics.data : undefined
      return list !== undefined && !names.has(id)
    })
    for (const field of gone) names.set(field.slice(field.indexOf('.') + 1), t.filter.deleted)
    const isGone = (field: string) => gone.includes(field)
    const custom = (events.data?.eventNames ?? []).filter((name) => !name.startsWith('email.'))
    const option = (field: string) => ({ value: field, label: fieldName(field, t, names) })
    const ids = [...newest.map(({ id }) => id), ...chosen.names.map(([id]) => id)]
    const options = [
      { group: t.filter.groups.contact, items: OF_CONTACT.map(option) },
      {
        group: t.filter.groups.data,
        items: [...types.keys()].filter((field) => field.startsWith('data.')).map(option),
      },
      { group: t.filter.groups.mail, items: ACTIVITIES.map((name) => option(`email.${name}`)) },
      { group: t.filter.groups.events, items: custom.map((name) => option(`event.${name}`)) },
      { group: t.filter.groups.segments, items: (segments.data ?? []).map(({ id }) => option(`segment.${id}`)) },
      { group: t.filter.groups.topics, items: ofTopics.map(({ slug }) => option(`topic.${slug}`)) },
      { group: t.filter.groups.campaigns, items: ids.map((id) => option(`${CAMPAIGN}${id}`)) },
    ].filter(({ items }) => items.length > 0)
    return { types, names, options, isGone, hasOlder: campaigns.hasMore }
  }, [fields.data, events.data, segments.data, topics.data, campaigns.data, campaigns.hasMore, chosen, used, t])
}

/** The choices for a rule while this is typed: also the older campaigns whose name or subject has it. */
export function useFoundFields(typed: string, { options, hasOlder }: ReturnType<typeof useFilterFields>) {
  const t = useTexts()
  const [search] = useDebouncedValue(typed.trim(), 200)
  const known = new Set(options.flatMap(({ items }) => items.map(({ value }) => value)))
  const labels = options.flatMap(({ items }) => items.map(({ label }) => label))
  // what is chosen stands in the field, and is no search
  const found = useCampaigns(search, hasOlder && search !== '' && !labels.includes(search))
  const older = (found.data ?? []).filter(({ id }) => !known.has(`${CAMPAIGN}${id}`))
  if (search === '' || older.length === 0) return options
  const items = older.map(({ id, name }) => ({ value: `${CAMPAIGN}${id}`, label: t.filter.campaign(name) }))
  const group = t.filter.groups.campaigns
  return options.some((each) => each.group === group)
    ? options.map((each) => (each.group === group ? { group, items: [...each.items, ...items] } : each))
    : [...options, { group, items }]
}

/** Campaigns that have begun. */
function useCampaigns(search: string, enabled = true) {
  const found = useAsk(
    ['campaigns', 'choice', search],
    (api, signal) =>
      api.GET('/campaigns', { params: { query: { limit: OFFERED, ...(search === '' ? {} : { search }) } }, signal }),
    { enabled },
  )
  const all = found.data?.campaigns
  const { hasMore = false } = found.data ?? {}
  const data = useMemo(() => all?.filter(({ status }) => status !== 'DRAFT' && status !== 'SCHEDULED'), [all])
  return { data, hasMore }
}

/** Their names, and which were deleted. */
function useNames(ids: readonly string[]) {
  const api = useApi()
  const project = useProjectId()
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: [project, 'campaigns', id],
      queryFn: () => answerOf(api.GET('/campaigns/{id}', { params: { path: { id } } })),
    })),
    combine: useCallback((answers: readonly Named[]) => named(ids, answers), [ids]),
  })
}

interface Named {
  readonly data: { readonly id: string; readonly name: string } | undefined
  readonly error: Error | null
}

function named(ids: readonly string[], answers: readonly Named[]) {
  const gone = answers.map(({ error }, at) => (error instanceof ApiError && error.status === 404 ? ids[at] : undefined))
  return {
    names: answers.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])),
    gone: gone.filter((id) => id !== undefined),
  }
}

/** The fields that a filter asks for. */
function fieldsIn(filter: Filter): readonly string[] {
  return filter.conditions.flatMap((part) => (isGroup(part) ? fieldsIn(part) : [part.field]))
}

/** The ids of campaigns that a filter asks for, but for the known ones. */
function campaignsIn(filter: Filter, known: readonly { readonly id: string }[]): readonly string[] {
  const ids = filter.conditions.flatMap((part) =>
    isGroup(part)
      ? campaignsIn(part, known)
      : part.field.startsWith(CAMPAIGN)
        ? [part.field.slice(CAMPAIGN.length)]
        : [],
  )
  return [...new Set(ids)].filter((id) => !known.some((each) => each.id === id))
}
