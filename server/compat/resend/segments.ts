import * as v from 'valibot'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'

const Named = v.object({ name: v.string() })

/** `resend.segments`, which were called audiences. */
export const segments: readonly ForeignEndpoint[] = [...segmentsAs('segment'), ...segmentsAs('audience')]

function segmentsAs(object: 'segment' | 'audience'): readonly ForeignEndpoint[] {
  const base = `/${object}s`
  const methods = (name: string) => (object === 'segment' ? [`segments.${name}`, `audiences.${name}`] : [])
  return [
    {
      method: 'POST',
      path: base,
      methods: methods('create'),
      difference: 'contacts are added to it; one with a filter is made by `POST /segments` of Mailwright',
      body: 'json',
      async answer({ body }, ours) {
        const { name } = parse(Named, body)
        const { id } = await typedApi(ours).call('createSegment', { body: { name, type: 'STATIC' } })
        return { status: 201, body: { object, id, name } }
      },
    },
    {
      method: 'GET',
      path: base,
      methods: methods('list'),
      async answer({ query }, ours) {
        const all = await typedApi(ours).call('listSegments')
        return wholeList(query, all, ({ id, name, createdAt }) => ({ id, name, created_at: createdAt }))
      },
    },
    {
      method: 'GET',
      path: `${base}/:id`,
      methods: methods('get'),
      async answer({ params: { id = '' } }, ours) {
        const { name, createdAt } = await typedApi(ours).call('getSegment', { path: { id } })
        return { status: 200, body: { object, id, name, created_at: createdAt } }
      },
    },
    {
      method: 'PATCH',
      path: `${base}/:id`,
      methods: methods('update'),
      body: 'json',
      async answer({ params: { id = '' }, body }, ours) {
        const { name } = parse(Named, body)
        await typedApi(ours).call('changeSegment', { path: { id }, body: { name } })
        return { status: 200, body: { object, id } }
      },
    },
    {
      method: 'DELETE',
      path: `${base}/:id`,
      methods: methods('remove'),
      async answer({ params: { id = '' } }, ours) {
        await typedApi(ours).call('deleteSegment', { path: { id } })
        return { status: 200, body: { object, id, deleted: true } }
      },
    },
  ]
}
