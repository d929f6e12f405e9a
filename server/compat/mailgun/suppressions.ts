import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest } from '../../../core/ports/foreign-api.ts'
import { isJsonObject, type Json } from '../../../core/values/json.ts'
import { Form } from '../kit/form.ts'
import { numberIn } from '../kit/number-in.ts'
import {
  release,
  replyCodeIn,
  requireAddress,
  type Suppression,
  type SuppressionReason,
  suppress,
  suppressionOf,
  type ToSuppress,
} from '../kit/suppressed.ts'
import { typedApi } from '../kit/typed-api.ts'

/** The most addresses of a request. */
const MAX_ADDRESSES = 1000

interface List {
  readonly name: string
  readonly reason: SuppressionReason
  /** The sentences of its answers. */
  readonly added: string
  readonly removed: string
  write(entry: Suppression): object
}

/** Dates are written as in mail. */
const dateOf = (time: string) => new Date(time).toUTCString()

const LISTS: readonly List[] = [
  {
    name: 'bounces',
    reason: 'BOUNCE',
    added: 'Address has been added to the bounces table',
    removed: 'Bounced address has been removed',
    write: ({ email, detail, createdAt }) => ({
      address: email,
      code: replyCodeIn(detail) ?? '550',
      error: detail ?? '',
      created_at: dateOf(createdAt),
    }),
  },
  {
    name: 'complaints',
    reason: 'COMPLAINT',
    added: 'Address has been added to the complaints table',
    removed: 'Spam complaint has been removed',
    write: ({ email, createdAt }) => ({ address: email, created_at: dateOf(createdAt) }),
  },
  {
    name: 'unsubscribes',
    reason: 'MANUAL',
    added: 'Address has been added to the unsubscribes table',
    removed: 'Unsubscribe event has been removed',
    write: ({ email, createdAt }) => ({ address: email, tags: ['*'], created_at: dateOf(createdAt) }),
  },
]

const ONE_REASON =
  'the list is that of the project, whatever the domain in the path; an address is on the list of one reason only, the first that it was listed for'

/** Bounces, complaints and unsubscribes: our list of suppressed addresses, by its reasons. */
export const suppressions: readonly ForeignEndpoint[] = LISTS.flatMap((list): readonly ForeignEndpoint[] => [
  {
    method: 'GET',
    path: `/v3/:domain/${list.name}`,
    methods: ['suppressions.list'],
    difference: `at most 100 entries on a page; there is no page before; ${ONE_REASON}`,
    async answer({ query, params, url }, ours) {
      const limit = Math.min(numberIn(query, 'limit', { usual: 100, least: 1, most: 1000 }), 100)
      const cursor = query.get('cursor')
      const page = await typedApi(ours).call('listSuppressions', {
        query: { reason: list.reason, limit: String(limit), ...(cursor ? { cursor } : {}) },
      })
      const first = `${url}/v3/${encodeURIComponent(params.domain ?? '')}/${list.name}?limit=${limit}`
      const last = page.data.at(-1)?.email ?? ''
      const next =
        page.cursor === null
          ? first
          : `${first}&page=next&address=${encodeURIComponent(last)}&cursor=${encodeURIComponent(page.cursor)}`
      const items = page.data.map(list.write)
      return { status: 200, body: { items, paging: { first, next, previous: first, last: next } } }
    },
  },
  {
    method: 'GET',
    path: `/v3/:domain/${list.name}/:address`,
    methods: ['suppressions.get'],
    difference: ONE_REASON,
    async answer({ params }, ours) {
      return {
        status: 200,
        body: list.write(required(await suppressionOf(ours, params.address ?? '', list.reason), list)),
      }
    },
  },
  {
    method: 'POST',
    path: `/v3/:domain/${list.name}`,
    methods: ['suppressions.create'],
    difference: `at most ${MAX_ADDRESSES} addresses; \`created_at\` has no effect${list.name === 'unsubscribes' ? '; `tag` and `tags` are `*` only' : ''}; ${ONE_REASON}`,
    body: 'json-or-form',
    bodyLimit: 5 * 1024 * 1024,
    async answer({ body }, ours) {
      const given = givenIn(body)
      await suppress(ours, list.reason, given)
      const [only] = given
      const more = given.length === 1 && only !== undefined ? { address: only.email } : {}
      const message =
        given.length === 1 ? list.added : `${given.length} addresses have been added to the ${list.name} table`
      return { status: 200, body: { message, ...more } }
    },
  },
  {
    method: 'DELETE',
    path: `/v3/:domain/${list.name}/:address`,
    methods: ['suppressions.destroy'],
    difference: ONE_REASON,
    async answer({ params }, ours) {
      const entry = required(await suppressionOf(ours, params.address ?? '', list.reason), list)
      await release(ours, entry)
      return { status: 200, body: { message: list.removed, address: entry.email } }
    },
  },
])

function required(entry: Suppression | undefined, { name }: List): Suppression {
  if (entry !== undefined) return entry
  throw new EngineError('SUPPRESSION_NOT_FOUND', `Address not found in ${name} table`)
}

/** The addresses of a form, or of JSON: one, or a list of them. */
function givenIn(body: ForeignRequest['body']): readonly ToSuppress[] {
  const isForm = Array.isArray(body) && body.every((part) => isJsonObject(part) && 'name' in part && 'value' in part)
  if (isForm && body.length > 0) {
    const form = new Form(body)
    return [
      read(
        { address: form.text('address') ?? null, error: form.text('error') ?? null, tags: [...form.texts('tag')] },
        '',
      ),
    ]
  }
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (list.length === 0) throw invalidField('address', 'required', 'is required')
  if (list.length > MAX_ADDRESSES) throw invalidField('address', 'too_big', `must be at most ${MAX_ADDRESSES}`)
  return list.map((each, i) => read(isJsonObject(each) ? each : {}, `${i}.`))
}

function read({ address, error, tags, tag }: Readonly<Record<string, Json>>, place: string): ToSuppress {
  if (address == null || address === '') throw invalidField(`${place}address`, 'required', 'is required')
  const email = requireAddress(address, `${place}address`)
  const named = [tags ?? [], tag ?? []].flat().filter((each) => each !== '' && each !== '*')
  if (named.length > 0) {
    throw invalidField(
      `${place}tag`,
      'custom',
      'must be *: here an address unsubscribes from all mail; topics are for less',
    )
  }
  return { email, detail: typeof error === 'string' && error !== '' ? error : undefined }
}
