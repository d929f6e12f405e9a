import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type OurWebhook, ownWebhook, ownWebhooks } from '../kit/own-webhooks.ts'
import { typedApi } from '../kit/typed-api.ts'
import { publicKey } from './webhook-events.ts'

/** SendGrid's switches, each with the events of ours that it is for. */
const SWITCHES = {
  processed: 'email.sent',
  delivered: 'email.delivery',
  bounce: 'email.bounce.permanent',
  deferred: 'email.bounce.transient',
  open: 'email.open',
  click: 'email.click',
  spam_report: 'email.complaint',
  unsubscribe: 'contact.unsubscribed',
  group_unsubscribe: 'contact.unsubscribed',
  group_resubscribe: 'contact.subscribed',
} as const
type Switch = keyof typeof SWITCHES
const NAMES = Object.keys(SWITCHES) as Switch[]

const flag = v.nullish(v.boolean())
const changes = {
  enabled: flag,
  friendly_name: v.nullish(v.string()),
  oauth_client_id: v.nullish(v.string()),
  oauth_client_secret: v.nullish(v.string()),
  oauth_token_url: v.nullish(v.string()),
  ...(Object.fromEntries(NAMES.map((name) => [name, flag])) as Record<Switch, typeof flag>),
}
const NewWebhook = v.object({ url: v.string(), ...changes })
const Changes = v.object({ url: v.nullish(v.string()), ...changes })
const Signed = v.object({ enabled: v.boolean() })

const SETTINGS = '/v3/user/webhooks/event/settings'
const FIELDS = { description: 'friendly_name' }
const DIFFERS =
  '`unsubscribe` and `group_unsubscribe` are one switch; there are no events for `dropped` and `account_status_change`; OAuth is refused; each request has one event, and the client’s address and browser are not in it'
const SIGNED =
  'every webhook is signed, with a key pair of its own, which `POST /webhooks/secret/rotate` of Mailwright renews for all'

/** The event webhook. A path without an id means the oldest webhook. */
export const webhooks: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: `${SETTINGS}/all`,
    methods: [],
    difference: 'those that were made for events in SendGrid’s form',
    async answer({ api }, ours) {
      const all = await ownWebhooks(ours, api)
      const { secret } = await typedApi(ours).call('getWebhookSecret')
      return { status: 200, body: { max_allowed: 50, webhooks: all.map((each) => shown(each, secret)) } }
    },
  },
  {
    method: 'POST',
    path: SETTINGS,
    methods: [],
    difference: `\`enabled\` is true unless it is given; ${DIFFERS}`,
    body: 'json',
    fields: FIELDS,
    async answer({ body, api }, ours) {
      return { status: 201, body: await created(ours, api, parse(NewWebhook, body)) }
    },
  },
  ...[`${SETTINGS}/signed`, `${SETTINGS}/signed/:id`].flatMap((path): readonly ForeignEndpoint[] => [
    {
      method: 'GET',
      path,
      methods: [],
      difference: SIGNED,
      async answer(request, ours) {
        return { status: 200, body: await keyOf(ours, await required(request, ours)) }
      },
    },
    {
      method: 'PATCH',
      path,
      methods: [],
      difference: `${SIGNED}; \`enabled: false\` is refused`,
      body: 'json',
      async answer(request, ours) {
        if (!parse(Signed, request.body).enabled) {
          throw invalidField('enabled', 'custom', 'must be true: webhooks are always signed here')
        }
        return { status: 200, body: await keyOf(ours, await required(request, ours)) }
      },
    },
  ]),
  ...[SETTINGS, `${SETTINGS}/:id`].flatMap((path): readonly ForeignEndpoint[] => [
    {
      method: 'GET',
      path,
      methods: [],
      async answer(request, ours) {
        return { status: 200, body: shown(await required(request, ours)) }
      },
    },
    {
      method: 'PATCH',
      path,
      methods: [],
      difference: path === SETTINGS ? `makes a webhook where there is none; ${DIFFERS}` : DIFFERS,
      body: 'json',
      fields: FIELDS,
      async answer(request, ours) {
        const given = parse(Changes, request.body)
        const { id } = request.params
        const before = await found(request, ours)
        if (before === undefined && id === undefined) {
          return { status: 200, body: await created(ours, request.api, parse(NewWebhook, request.body)) }
        }
        return { status: 200, body: await changed(ours, before ?? missing(), given) }
      },
    },
  ]),
  {
    method: 'DELETE',
    path: `${SETTINGS}/:id`,
    methods: [],
    async answer(request, ours) {
      const { id } = await required(request, ours)
      await typedApi(ours).call('deleteWebhook', { path: { id } })
      return { status: 204 }
    },
  },
]

async function created(ours: OurApi, api: string, given: v.InferOutput<typeof NewWebhook>) {
  requireNoOAuth(given)
  const { url, enabled, friendly_name: name } = given
  const body = { url, events: eventsOf(given, []), enabled: enabled ?? true, dialect: api }
  return shown(
    await typedApi(ours).call('createWebhook', { body: { ...body, ...(name ? { description: name } : {}) } }),
  )
}

async function changed(ours: OurApi, before: OurWebhook, given: v.InferOutput<typeof Changes>) {
  requireNoOAuth(given)
  const { url, enabled, friendly_name: name } = given
  const body = {
    ...(url == null ? {} : { url }),
    ...(enabled == null ? {} : { enabled }),
    ...(name == null ? {} : { description: name || null }),
    events: eventsOf(given, before.events),
  }
  return shown(await typedApi(ours).call('changeWebhook', { path: { id: before.id }, body }))
}

/** The events after a change of some switches. A switch that is given counts more than another for the same event. */
function eventsOf(given: Partial<Record<Switch, boolean | null | undefined>>, before: readonly string[]): string[] {
  const events = new Set(before)
  for (const name of NAMES) if (given[name] === false) events.delete(SWITCHES[name])
  for (const name of NAMES) if (given[name] === true) events.add(SWITCHES[name])
  if (events.size > 0) return [...events]
  const message = `, or another of these, must be true: ${NAMES.join(', ')}`
  throw invalidField('delivered', 'custom', message)
}

function requireNoOAuth(given: v.InferOutput<typeof Changes>): void {
  for (const field of ['oauth_client_id', 'oauth_client_secret', 'oauth_token_url'] as const) {
    if (given[field]) throw invalidField(field, 'custom', 'is not possible here: requests are signed instead')
  }
}

async function found({ params: { id }, api }: ForeignRequest, ours: OurApi): Promise<OurWebhook | undefined> {
  if (id !== undefined) return ownWebhook(ours, api, id)
  const [oldest] = await ownWebhooks(ours, api)
  return oldest
}

async function required(request: ForeignRequest, ours: OurApi): Promise<OurWebhook> {
  return (await found(request, ours)) ?? missing()
}

function missing(): never {
  throw new EngineError('WEBHOOK_NOT_FOUND', 'There is no event webhook yet.')
}

async function keyOf(ours: OurApi, { id }: OurWebhook) {
  const { secret } = await typedApi(ours).call('getWebhookSecret')
  return { id, public_key: publicKey(secret, id) }
}

function shown({ id, url, enabled, events, description, createdAt, updatedAt }: OurWebhook, secret?: string) {
  const all = new Set(events)
  const isOn = (event: string) => all.has(event) || all.has(event.replace(/\.(?:permanent|transient)$/, ''))
  const switches = Object.fromEntries(NAMES.map((name) => [name, isOn(SWITCHES[name])]))
  return {
    enabled,
    url,
    account_status_change: false,
    ...switches,
    dropped: false,
    friendly_name: description ?? '',
    id,
    created_date: createdAt,
    updated_date: updatedAt,
    ...(secret === undefined ? {} : { public_key: publicKey(secret, id) }),
  }
}
