import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'
import { THEIR_NAMES, theirNameOf } from './webhook-events.ts'

const OUR_NAMES = new Map(Object.entries(THEIR_NAMES).map(([ours, theirs]) => [theirs, ours]))
const Names = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(100))
const NewWebhook = v.object({ endpoint: v.string(), events: Names })
const Changes = v.object({
  endpoint: v.nullish(v.string()),
  events: v.nullish(Names),
  status: v.nullish(v.picklist(['enabled', 'disabled'])),
})
const FIELDS = { url: 'endpoint', enabled: 'status' }

type Webhook = Answer<'getWebhook'>

/** `resend.webhooks`: endpoints that get events in Resend's form. */
export const webhooks: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/webhooks',
    methods: ['webhooks.create'],
    difference: `the events are ${[...OUR_NAMES.keys()].map((name) => `\`${name}\``).join(', ')}; others are refused; all webhooks of a project have one secret; of a click without address and browser`,
    body: 'json',
    secretAnswer: true,
    fields: FIELDS,
    async answer({ body, api }, ours) {
      const { endpoint: url, events } = parse(NewWebhook, body)
      const { id } = await typedApi(ours).call('createWebhook', {
        body: { url, events: ourNames(events), dialect: api },
      })
      const { secret } = await typedApi(ours).call('getWebhookSecret')
      return { status: 201, body: { object: 'webhook', id, signing_secret: secret } }
    },
  },
  {
    method: 'GET',
    path: '/webhooks',
    methods: ['webhooks.list'],
    difference: 'those that were made here by Resend’s API',
    async answer({ query, api }, ours) {
      const all = await typedApi(ours).call('listWebhooks')
      return wholeList(
        query,
        all.filter(({ dialect }) => dialect === api),
        shown,
      )
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id',
    methods: ['webhooks.get'],
    async answer({ params: { id = '' } }, ours) {
      const webhook = await typedApi(ours).call('getWebhook', { path: { id } })
      const { secret } = await typedApi(ours).call('getWebhookSecret')
      return { status: 200, body: { object: 'webhook', ...shown(webhook), signing_secret: secret } }
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:id',
    methods: ['webhooks.update'],
    body: 'json',
    fields: FIELDS,
    async answer({ params: { id = '' }, body }, ours) {
      const { endpoint: url, events, status } = parse(Changes, body)
      const change = {
        ...(url == null ? {} : { url }),
        ...(events == null ? {} : { events: ourNames(events) }),
        ...(status == null ? {} : { enabled: status === 'enabled' }),
      }
      await typedApi(ours).call('changeWebhook', { path: { id }, body: change })
      return { status: 200, body: { object: 'webhook', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    methods: ['webhooks.remove'],
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('deleteWebhook', { path: { id } })
      return { status: 200, body: { object: 'webhook', id, deleted: true } }
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:id/signing-secret/rotate',
    methods: ['webhooks.rotateSigningSecret'],
    difference: 'of all webhooks of the project; for 24 hours requests are signed with both secrets',
    secretAnswer: true,
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('getWebhook', { path: { id } })
      const { secret } = await typedApi(ours).call('rotateWebhookSecret')
      return { status: 200, body: { object: 'webhook', id, signing_secret: secret } }
    },
  },
]

function ourNames(events: readonly string[]): string[] {
  return events.map((name) => {
    const ours = OUR_NAMES.get(name)
    if (ours !== undefined) return ours
    throw invalidField('events', 'invalid_enum_value', `may have only these here: ${[...OUR_NAMES.keys()].join(', ')}`)
  })
}

function shown({ id, url, events, enabled, createdAt }: Webhook) {
  return {
    id,
    endpoint: url,
    events: events.map((name) => theirNameOf(name) ?? name),
    status: enabled ? 'enabled' : 'disabled',
    created_at: createdAt,
  }
}
