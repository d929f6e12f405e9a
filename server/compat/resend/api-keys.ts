import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'

const NewKey = v.object({
  name: v.string(),
  permission: v.optional(v.picklist(['full_access', 'sending_access']), 'full_access'),
  domain_id: v.nullish(v.string()),
})

const Renamed = v.object({ name: v.string() })

/** `resend.apiKeys`. */
export const apiKeys: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/api-keys',
    methods: ['apiKeys.create'],
    difference: 'a key sends from all domains of the project: `domain_id` is refused',
    body: 'json',
    secretAnswer: true,
    async answer({ body, project }, ours) {
      const { name, permission, domain_id } = parse(NewKey, body)
      if (domain_id)
        throw invalidField('domain_id', 'custom', 'cannot be set: a key sends from all domains of the project')
      const scopes = [permission === 'full_access' ? ('full' as const) : ('send' as const)]
      const { id, key } = await typedApi(ours).call('createApiKey', {
        path: { id: project.id },
        body: { name, kind: 'secret', scopes },
      })
      return { status: 201, body: { id, token: key } }
    },
  },
  {
    method: 'GET',
    path: '/api-keys',
    methods: ['apiKeys.list'],
    async answer({ query, project }, ours) {
      const all = await typedApi(ours).call('listApiKeys', { path: { id: project.id } })
      return wholeList(query, all, ({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        created_at: createdAt,
        last_used_at: lastUsedAt,
      }))
    },
  },
  {
    method: 'PATCH',
    path: '/api-keys/:id',
    methods: ['apiKeys.update'],
    body: 'json',
    async answer({ params: { id = '' }, project, body }, ours) {
      const { name } = parse(Renamed, body)
      await typedApi(ours).call('changeApiKey', { path: { id: project.id, keyId: id }, body: { name } })
      return { status: 200, body: { object: 'api_key', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/api-keys/:id',
    methods: ['apiKeys.remove'],
    async answer({ params: { id = '' }, project }, ours) {
      await typedApi(ours).call('revokeApiKey', { path: { id: project.id, keyId: id } })
      return { status: 200, body: { object: 'api_key', id, deleted: true } }
    },
  },
]
