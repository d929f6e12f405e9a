import * as v from 'valibot'
import { EngineError } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { requireAddress, suppress, suppressions as suppressed, suppressionOf } from '../kit/suppressed.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf } from './lists.ts'

const MOST = 100
const ORIGINS = { BOUNCE: 'bounce', COMPLAINT: 'complaint', MANUAL: 'manual' } as const
const Origin = v.object({ origin: v.optional(v.picklist(['bounce', 'complaint', 'manual'])) })
const One = v.object({ email: v.string() })
const texts = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST))
const Some = v.object({ emails: texts })
const SomeNamed = v.union([Some, v.object({ ids: texts })])
const KEEPS = 'an address that is listed for good keeps its origin'

/** `resend.suppressions`. */
export const suppressions: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/suppressions',
    methods: ['suppressions.add'],
    difference: KEEPS,
    body: 'json',
    async answer({ body }, ours) {
      const email = requireAddress(parse(One, body).email, 'email')
      const [added] = await suppress(ours, 'MANUAL', [{ email }])
      return { status: 201, body: { object: 'suppression', id: added?.id } }
    },
  },
  {
    method: 'GET',
    path: '/suppressions',
    methods: ['suppressions.list'],
    difference: '`source_id` is null; `before` looks through the newest 1,000',
    answer({ query }, ours) {
      const { origin } = parse(Origin, Object.fromEntries(query))
      const reason = origin === undefined ? {} : { reason: origin.toUpperCase() }
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listSuppressions', { query: { ...asked, ...reason } })
      return pageOf(query, { read }, shown)
    },
  },
  {
    method: 'GET',
    path: '/suppressions/:id',
    methods: ['suppressions.get'],
    difference: '`source_id` is null; an id is looked for in the newest 100,000, an address is found at once',
    async answer({ params: { id: named = '' } }, ours) {
      const entry = named.includes('@')
        ? await suppressionOf(ours, requireAddress(named, 'id'))
        : (await suppressed(ours, { offset: 0, count: 1, fits: ({ id }) => id === named }))[0]
      if (entry === undefined) throw new EngineError('SUPPRESSION_NOT_FOUND', `There is no suppression ${named}.`)
      return { status: 200, body: { object: 'suppression', ...shown(entry) } }
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
    difference: `up to ${MOST} addresses; ${KEEPS}`,
    body: 'json',
    async answer({ body }, ours) {
      const given = parse(Some, body).emails.map((email, i) => ({ email: requireAddress(email, `emails.${i}`) }))
      const added = await suppress(ours, 'MANUAL', given)
      return { status: 200, body: { data: added.map(({ id }) => ({ object: 'suppression', id })) } }
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

function shown({ id, email, reason, createdAt }: Answer<'listSuppressions'>['data'][number]) {
  return { id, email, origin: ORIGINS[reason], source_id: null, created_at: createdAt }
}
