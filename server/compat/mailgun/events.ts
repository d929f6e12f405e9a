import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { isJsonObject, type JsonObject } from '../../../core/values/json.ts'
import { numberIn } from '../kit/number-in.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { objectIn } from '../kit/values-once.ts'
import { eventData } from './webhook-events.ts'

type Listed = Answer<'listEvents'>['events'][number]

/** Mailgun's names of events, each with ours. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['delivered', 'email.delivery'],
  ['failed', 'email.bounce'],
  ['opened', 'email.open'],
  ['clicked', 'email.click'],
  ['complained', 'email.complaint'],
  ['unsubscribed', 'contact.unsubscribed'],
])
/** The pages of ours that are looked through for one of theirs. */
const MOST_PAGES = 100
const AT_ONCE = 100
/** The fields of the query that are kept in the address of the next page. */
const KEPT = ['event', 'recipient', 'severity', 'begin', 'end', 'limit', 'ascending']
/** The other filters, which would be left out without a word. */
const REFUSED = ['list', 'attachment', 'from', 'message-id', 'subject', 'to', 'size', 'tags', 'recipients']

const DIFFERS =
  'of the project, whatever the domain in the path; with `ascending: yes` among the newest 10,000, and the last `next` can be asked for again and again; `event` is one name; of the other filters `recipient`, `severity`, `begin` and `end` count, and the rest is refused; there is no page before, and no `accepted`; `tags` and `user-variables` are in webhooks only'

/** The log of events, and its pages by the addresses that it answers. */
export const events: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/v3/:domain/events',
    methods: ['events.get'],
    difference: DIFFERS,
    answer: (request, ours) => pageOf(request, ours, request.query),
  },
  {
    method: 'GET',
    path: '/v3/:domain/events/:page',
    methods: [],
    difference: DIFFERS,
    answer(request, ours) {
      const kept = objectIn(Buffer.from(request.params.page ?? '', 'base64url').toString('utf8'))
      if (kept === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no such page of events.')
      const entries = Object.entries(kept).map(([name, value]): [string, string] => [name, String(value)])
      return pageOf(request, ours, new URLSearchParams(entries))
    },
  },
]

async function pageOf({ params, url }: ForeignRequest, ours: OurApi, query: URLSearchParams) {
  const fits = filterOf(query)
  const asked = query.get('event') || undefined
  const eventName = asked === undefined ? undefined : NAMES.get(asked)
  if (asked !== undefined && eventName === undefined) {
    throw invalidField('event', 'invalid_enum_value', `must be one of these here: ${[...NAMES.keys()].join(', ')}`)
  }
  const limit = Math.min(numberIn(query, 'limit', { usual: 100, least: 1, most: 300 }), 100)
  const reading: Reading = { limit, eventName, fits, ours }
  const ascending = query.get('ascending') === 'yes'
  const { items, place } = ascending
    ? await newerThan(query.get('after') ?? undefined, reading)
    : await olderThan(query, reading)
  const kept = Object.fromEntries(KEPT.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : [])))
  const at = (place: JsonObject) =>
    `${url}/v3/${encodeURIComponent(params.domain ?? '')}/events/${Buffer.from(JSON.stringify(place)).toString('base64url')}`
  const first = at(kept)
  const next = at({ ...kept, ...place })
  return { status: 200, body: { items, paging: { first, next, previous: first, last: next } } }
}

/** How a page is read. */
interface Reading {
  readonly limit: number
  readonly eventName: string | undefined
  readonly fits: (item: JsonObject) => boolean
  readonly ours: OurApi
}

/** A page, and where the next one begins. */
interface EventPage {
  readonly items: readonly JsonObject[]
  readonly place: JsonObject
}

/** The newest first. At the end there is nothing more: an empty page is the end for a client. */
async function olderThan(query: URLSearchParams, { limit, fits, ...about }: Reading): Promise<EventPage> {
  let cursor = query.get('cursor') ?? undefined
  let items: readonly JsonObject[] = []
  let isMore = !query.has('ended')
  for (let pages = 0; items.length === 0 && isMore && pages < MOST_PAGES; pages++) {
    const page = await read(about, limit, cursor)
    items = page.events
      .map(written)
      .filter((each) => each !== undefined)
      .filter(fits)
    isMore = page.cursor !== null
    cursor = page.cursor ?? undefined
  }
  return { items, place: cursor === undefined ? { ended: 'yes' } : { cursor } }
}

/**
 * The oldest first, of those after an event. The page after the last is empty until something happens: clients ask for it
 * again and again. Throws EngineError `VALIDATION_ERROR` when there are more than can be looked through.
 */
async function newerThan(after: string | undefined, { limit, fits, ...about }: Reading): Promise<EventPage> {
  const found: { readonly id: string; readonly item: JsonObject }[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await read(about, AT_ONCE, cursor)
    // ids are in the order of time
    const newer = page.events.filter(({ id }) => after === undefined || id > after)
    for (const event of newer) {
      const item = written(event)
      if (item !== undefined && fits(item)) found.push({ id: event.id, item })
    }
    if (page.cursor === null || newer.length < page.events.length) {
      const first = found.toReversed().slice(0, limit)
      const last = first.at(-1)?.id ?? after
      return { items: first.map(({ item }) => item), place: { ascending: 'yes', ...(last ? { after: last } : {}) } }
    }
    cursor = page.cursor
  }
  const most = (MOST_PAGES * AT_ONCE).toLocaleString('en')
  throw invalidField('ascending', 'custom', `must be no where there are more than ${most} events`)
}

function read({ eventName, ours }: Pick<Reading, 'eventName' | 'ours'>, limit: number, cursor: string | undefined) {
  const query = definedOnly({ limit: String(limit), eventName, cursor })
  return typedApi(ours).call('listEvents', { query })
}

function written({ id, name, emailId, data, createdAt, contact }: Listed): JsonObject | undefined {
  if (!isJsonObject(data)) return undefined
  return eventData({ id, name, at: new Date(createdAt), emailId, data, contact: contact ?? undefined })
}

function filterOf(query: URLSearchParams): (item: JsonObject) => boolean {
  const refused = REFUSED.find((name) => query.get(name))
  if (refused !== undefined) throw invalidField(refused, 'custom', 'is no filter here')
  const recipient = query.get('recipient')?.trim().toLowerCase()
  const severity = query.get('severity')
  const times = ['begin', 'end'].map((name) => timeIn(query.get(name), name))
  // their order is by time, in which begin may stand after end
  const [from = 0, to = Number.POSITIVE_INFINITY] = [
    Math.min(times[0] ?? 0, times[1] ?? Number.POSITIVE_INFINITY),
    Math.max(times[0] ?? 0, times[1] ?? Number.POSITIVE_INFINITY),
  ]
  return (item) => {
    const at = Number(item.timestamp)
    return (
      at >= from &&
      at <= to &&
      (!recipient || item.recipient === recipient) &&
      (!severity || item.severity === severity)
    )
  }
}

/** A time in seconds: as a number, or as a date of RFC 2822. */
function timeIn(text: string | null, field: string): number | undefined {
  if (text === null || text === '') return undefined
  const seconds = /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Date.parse(text) / 1000
  if (Number.isFinite(seconds)) return seconds
  throw invalidField(field, 'invalid_date', 'must be seconds since 1970, or a date as RFC 2822 has it')
}
