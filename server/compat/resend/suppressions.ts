import * as v from 'valibot'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf } from './lists.ts'

const MOST = 100
const ORIGINS = { BOUNCE: 'bounce', COMPLAINT: 'complaint', MANUAL: 'manual' } as const
const Origin = v.object({ origin: v.optional(v.picklist(['bounce', 'complaint', 'manual'])) })
const One = v.object({ email: v.string() })
const texts = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST))
const Some = v.object({ emails: texts })
const SomeNamed = v.union([Some, v.object({ ids: texts })])

type Suppression = Answer<'listSuppressions'>['data'][number]

/** `resend.suppressions`. */
export const suppressions: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/suppressions',
    methods: ['suppressions.add'],
    body: 'json',
    async answer({ body }, ours) {
      const { id } = await typedApi(ours).call('addSuppression', { body: parse(One, body) })
      return { status: 201, body: { object: 'suppression', id } }
    },
  },
  {
    method: 'GET',
    path: '/suppressions',
    methods: ['suppressions.list'],
    difference: '`source_id` is null; with `origin` or `before` the newest 1,000 are looked through',
    answer({ query }, ours) {
      const { origin } = parse(Origin, Object.fromEntries(query))
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listSuppressions', { query: asked })
      const keeps = ({ reason }: Suppression) => origin === undefined || ORIGINS[reason] === origin
      return pageOf(query, { read, keeps }, ({ id, email, reason, createdAt }) => ({
        id,
        email,
        origin: ORIGINS[reason],
        source_id: null,
        created_at: createdAt,
      }))
    },
  },
  {
    method: 'DELETE',
    path: '/suppressions/:id',
    methods: ['suppressions.remove'],
    difference: '`id` of the answer is the id or the address of the request',
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('removeSuppression', { path: { idOrEmail: id } })
      return { status: 200, body: { object: 'suppression', id, deleted: true } }
    },
  },
  {
    method: 'POST',
    path: '/suppressions/batch/add',
    methods: ['suppressions.batch.add'],
    difference: `up to ${MOST} addresses, one after the other; those before one that is refused stay`,
    body: 'json',
    async answer({ body }, ours) {
      const data: { object: 'suppression'; id: string }[] = []
      for (const email of parse(Some, body).emails) {
        const { id } = await typedApi(ours).call('addSuppression', { body: { email } })
        data.push({ object: 'suppression', id })
      }
      return { status: 200, body: { data } }
    },
  },
  {
    method: 'POST',
    path: '/suppressions/batch/remove',
    methods: ['suppressions.batch.remove'],
    difference: `up to ${MOST}, one after the other; those before an unknown one are removed`,
    body: 'json',
    async answer({ body }, ours) {
      const given = parse(SomeNamed, body)
      const data: { object: 'suppression'; id: string; deleted: true }[] = []
      for (const idOrEmail of 'emails' in given ? given.emails : given.ids) {
        await typedApi(ours).call('removeSuppression', { path: { idOrEmail } })
        data.push({ object: 'suppression', id: idOrEmail, deleted: true })
      }
      return { status: 200, body: { data } }
    },
  },
]
