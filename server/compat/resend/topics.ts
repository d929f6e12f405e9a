import * as v from 'valibot'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { listOf } from './lists.ts'

const NewTopic = v.object({
  name: v.string(),
  description: v.nullish(v.string()),
  default_subscription: v.picklist(['opt_in', 'opt_out']),
})
const TopicChanges = v.object({ name: v.nullish(v.string()), description: v.nullish(v.string()) })

/** `resend.topics`. */
export const topics: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/topics',
    methods: ['topics.create'],
    body: 'json',
    fields: { standing: 'default_subscription' },
    async answer({ body }, ours) {
      const { name, description, default_subscription: standing } = parse(NewTopic, body)
      const { id } = await typedApi(ours).call('createTopic', {
        body: { name, description: description ?? null, standing: standing === 'opt_in' ? 'in' : 'out' },
      })
      return { status: 201, body: { object: 'topic', id } }
    },
  },
  {
    method: 'GET',
    path: '/topics',
    methods: ['topics.list'],
    async answer(_, ours) {
      const { data } = await typedApi(ours).call('listTopics')
      return listOf(data.map(topicShown))
    },
  },
  {
    method: 'GET',
    path: '/topics/:id',
    methods: ['topics.get'],
    async answer({ params: { id = '' } }, ours) {
      const topic = await typedApi(ours).call('getTopic', { path: { id } })
      return { status: 200, body: { object: 'topic', ...topicShown(topic) } }
    },
  },
  {
    method: 'PATCH',
    path: '/topics/:id',
    methods: ['topics.update'],
    body: 'json',
    async answer({ params: { id = '' }, body }, ours) {
      const { name, description } = parse(TopicChanges, body)
      const change = { ...(name == null ? {} : { name }), ...(description === undefined ? {} : { description }) }
      await typedApi(ours).call('changeTopic', { path: { id }, body: change })
      return { status: 200, body: { object: 'topic', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/topics/:id',
    methods: ['topics.remove'],
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('deleteTopic', { path: { id } })
      return { status: 200, body: { object: 'topic', id, deleted: true } }
    },
  },
]

function topicShown({ id, name, description, standing, createdAt }: Answer<'getTopic'>) {
  const default_subscription = standing === 'in' ? 'opt_in' : 'opt_out'
  return { id, name, description: description ?? null, default_subscription, created_at: createdAt }
}
