import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type OurWebhook, ownWebhook, ownWebhooks } from '../kit/own-webhooks.ts'
import { typedApi } from '../kit/typed-api.ts'
import { requireOutbound } from './message.ts'

const Trigger = v.nullish(v.object({ Enabled: v.boolean() }))
const WithContent = v.nullish(v.object({ Enabled: v.boolean(), IncludeContent: v.nullish(v.boolean()) }))
const Triggers = v.object({
  Open: v.nullish(v.object({ Enabled: v.boolean(), PostFirstOpenOnly: v.nullish(v.boolean()) })),
  Click: Trigger,
  Delivery: Trigger,
  Bounce: WithContent,
  SpamComplaint: WithContent,
  SubscriptionChange: Trigger,
})
type Given = v.InferOutput<typeof Triggers>
const auth = {
  HttpAuth: v.nullish(v.object({ Username: v.nullish(v.string()), Password: v.nullish(v.string()) })),
  HttpHeaders: v.nullish(v.array(v.object({ Name: v.string(), Value: v.string() }))),
}
const NewWebhook = v.object({
  Url: v.string(),
  MessageStream: v.nullish(v.string()),
  Triggers: v.nullish(Triggers),
  ...auth,
})
const Changes = v.object({ Url: v.nullish(v.string()), Triggers: v.nullish(Triggers), ...auth })

/** The triggers beside `Open`, each with the events of ours that it is for. */
const EVENTS = {
  Click: ['email.click'],
  Delivery: ['email.delivery'],
  Bounce: ['email.bounce'],
  SpamComplaint: ['email.complaint'],
  SubscriptionChange: ['contact.subscribed', 'contact.unsubscribed'],
} as const satisfies Readonly<Record<Exclude<keyof Given, 'Open'>, readonly string[]>>
const OTHERS = Object.keys(EVENTS) as (keyof typeof EVENTS)[]
const OPEN = 'email.open'
const FIRST_OPEN = 'email.open.first'

const FIELDS = { url: 'Url', events: 'Triggers' }
const DIFFERS =
  '`ID` is a text; `HttpAuth` and `HttpHeaders` are refused, since [requests are signed](webhooks.md#checking-the-signature) instead; `IncludeContent` has no effect; the client, its place and the time of reading are not in the events, and the `ID` of a bounce is that of its mail'

/** Webhooks of the one stream. */
export const webhooks: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/webhooks',
    methods: ['getWebhooks'],
    difference: 'those that were made for events in Postmark’s form',
    async answer({ query, api }, ours) {
      requireOutbound(query.get('MessageStream') ?? query.get('messageStream'))
      return { status: 200, body: { Webhooks: (await ownWebhooks(ours, api)).map(shown) } }
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id',
    methods: ['getWebhook'],
    async answer({ params: { id = '' }, api }, ours) {
      return { status: 200, body: shown(await ownWebhook(ours, api, id)) }
    },
  },
  {
    method: 'POST',
    path: '/webhooks',
    methods: ['createWebhook'],
    difference: `at least one trigger must be enabled; ${DIFFERS}`,
    body: 'json',
    fields: FIELDS,
    async answer({ body, api }, ours) {
      const given = parse(NewWebhook, body)
      requireOutbound(given.MessageStream)
      requireNoAuth(given)
      const events = eventsOf(given.Triggers ?? {}, [])
      const made = await typedApi(ours).call('createWebhook', { body: { url: given.Url, events, dialect: api } })
      return { status: 200, body: shown(made) }
    },
  },
  {
    method: 'PUT',
    path: '/webhooks/:id',
    methods: ['editWebhook'],
    difference: DIFFERS,
    body: 'json',
    fields: FIELDS,
    async answer({ params: { id = '' }, body, api }, ours) {
      const given = parse(Changes, body)
      requireNoAuth(given)
      const before = await ownWebhook(ours, api, id)
      const changes = {
        ...(given.Url == null ? {} : { url: given.Url }),
        ...(given.Triggers == null ? {} : { events: eventsOf(given.Triggers, before.events) }),
      }
      return { status: 200, body: shown(await typedApi(ours).call('changeWebhook', { path: { id }, body: changes })) }
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    methods: ['deleteWebhook'],
    async answer({ params: { id = '' }, api }, ours) {
      await ownWebhook(ours, api, id)
      await typedApi(ours).call('deleteWebhook', { path: { id } })
      return { status: 200, body: { ErrorCode: 0, Message: `Webhook ${id} removed.` } }
    },
  },
]

function requireNoAuth({ HttpAuth, HttpHeaders }: v.InferOutput<typeof Changes>): void {
  const hasAuth = Boolean(HttpAuth?.Username || HttpAuth?.Password)
  const field = hasAuth ? 'HttpAuth' : HttpHeaders?.length ? 'HttpHeaders' : undefined
  if (field !== undefined) throw invalidField(field, 'custom', 'is not possible here: requests are signed instead')
}

function eventsOf(given: Given, before: readonly string[]): string[] {
  const events = new Set(before)
  for (const name of OTHERS) {
    const isOn = given[name]?.Enabled
    if (isOn !== undefined) for (const event of EVENTS[name]) isOn ? events.add(event) : events.delete(event)
  }
  if (given.Open != null) {
    for (const event of [OPEN, FIRST_OPEN]) events.delete(event)
    if (given.Open.Enabled) events.add(given.Open.PostFirstOpenOnly === false ? OPEN : FIRST_OPEN)
  }
  if (events.size > 0) return [...events]
  throw invalidField('Triggers', 'custom', 'must have at least one that is enabled')
}

function shown({ id, url, events }: OurWebhook) {
  const has = (name: string) => events.includes(name)
  const on = (name: keyof typeof EVENTS) => ({ Enabled: EVENTS[name].some(has) })
  return {
    ID: id,
    Url: url,
    MessageStream: 'outbound',
    HttpAuth: null,
    HttpHeaders: [],
    Triggers: {
      Open: { Enabled: has(OPEN) || has(FIRST_OPEN), PostFirstOpenOnly: has(FIRST_OPEN) && !has(OPEN) },
      Click: on('Click'),
      Delivery: on('Delivery'),
      Bounce: { ...on('Bounce'), IncludeContent: false },
      SpamComplaint: { ...on('SpamComplaint'), IncludeContent: false },
      SubscriptionChange: on('SubscriptionChange'),
    },
  }
}
