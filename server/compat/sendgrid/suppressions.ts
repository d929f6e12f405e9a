import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { numberIn } from '../kit/number-in.ts'
import {
  suppressions as listOf,
  release,
  replyCodeIn,
  requireAddress,
  type Suppression,
  type SuppressionReason,
  suppress,
  suppressionOf,
} from '../kit/suppressed.ts'

/** The most addresses of a request. */
const MAX_ADDRESSES = 1000
/** Beyond this place of a list nothing is read. */
const MAX_OFFSET = 10_000

/** Times are seconds, as SendGrid has them. */
function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** The lists that can be read and shortened, each with the entries of a reason as SendGrid writes them. */
const LISTS: readonly {
  readonly name: string
  readonly reason: SuppressionReason
  write(entry: Suppression): object
}[] = [
  {
    name: 'bounces',
    reason: 'BOUNCE',
    write: ({ email, detail, createdAt }) => ({
      created: secondsOf(createdAt),
      email,
      reason: detail ?? '',
      status: replyCodeIn(detail) ?? '',
    }),
  },
  {
    name: 'spam_reports',
    reason: 'COMPLAINT',
    write: ({ email, createdAt }) => ({ created: secondsOf(createdAt), email, ip: '' }),
  },
]

const Several = v.object({
  delete_all: v.nullish(v.boolean()),
  emails: v.nullish(v.pipe(v.array(v.string()), v.maxLength(MAX_ADDRESSES))),
})
const Recipients = v.object({
  recipient_emails: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_ADDRESSES)),
})

const ONE_REASON = 'an address is on the list of one reason only, the first that it was listed for'

/** Bounces, spam reports and global unsubscribes: our list of suppressed addresses, by its reasons. */
export const suppressions: readonly ForeignEndpoint[] = [
  ...LISTS.flatMap(({ name, reason, write }) => [
    reading(`/v3/suppression/${name}`, reason, write),
    {
      method: 'DELETE' as const,
      path: `/v3/suppression/${name}`,
      methods: [],
      difference: `\`delete_all\` is refused; at most ${MAX_ADDRESSES} addresses`,
      body: 'json' as const,
      async answer({ body }, ours) {
        const { delete_all: isAll, emails = [] } = parse(Several, body)
        if (isAll) throw invalidField('delete_all', 'custom', 'is not possible here: name the addresses in emails')
        for (const address of emails ?? []) {
          const entry = await suppressionOf(ours, address, reason)
          if (entry) await release(ours, entry)
        }
        return { status: 204 }
      },
    } satisfies ForeignEndpoint,
    {
      method: 'GET' as const,
      path: `/v3/suppression/${name}/:email`,
      methods: [],
      async answer({ params }, ours) {
        const entry = await suppressionOf(ours, params.email ?? '', reason)
        return { status: 200, body: entry ? [write(entry)] : [] }
      },
    } satisfies ForeignEndpoint,
    removing(`/v3/suppression/${name}/:email`, reason),
  ]),
  reading('/v3/suppression/unsubscribes', 'MANUAL', ({ email, createdAt }) => ({
    created: secondsOf(createdAt),
    email,
  })),
  {
    method: 'POST',
    path: '/v3/asm/suppressions/global',
    methods: [],
    difference: `at most ${MAX_ADDRESSES} addresses; ${ONE_REASON}`,
    body: 'json',
    async answer({ body }, ours) {
      const { recipient_emails: given } = parse(Recipients, body)
      const all = given.map((each, i) => ({ email: requireAddress(each, `recipient_emails.${i}`) }))
      await suppress(ours, 'MANUAL', all)
      return { status: 201, body: { recipient_emails: given } }
    },
  },
  {
    method: 'GET',
    path: '/v3/asm/suppressions/global/:email',
    methods: [],
    difference: 'answers for an address that is suppressed for any reason',
    async answer({ params }, ours) {
      const entry = await suppressionOf(ours, params.email ?? '')
      return { status: 200, body: entry ? { recipient_email: entry.email } : {} }
    },
  },
  removing('/v3/asm/suppressions/global/:email', 'MANUAL'),
]

function reading(path: string, reason: SuppressionReason, write: (entry: Suppression) => object): ForeignEndpoint {
  return {
    method: 'GET',
    path,
    methods: [],
    difference: `\`offset\` is at most ${MAX_OFFSET.toLocaleString('en')}; ${ONE_REASON}`,
    async answer({ query }, ours) {
      const [from, to] = ['start_time', 'end_time'].map((name, i) =>
        numberIn(query, name, { usual: i * 100_000_000_000, most: 100_000_000_000 }),
      )
      const entries = await listOf(ours, {
        reason,
        email: query.get('email') ?? undefined,
        count: numberIn(query, 'limit', { usual: 500, least: 1, most: 500 }),
        offset: numberIn(query, 'offset', { usual: 0, most: MAX_OFFSET }),
        from: (from ?? 0) * 1000,
        fits: ({ createdAt }) => secondsOf(createdAt) <= (to ?? 0),
      })
      return { status: 200, body: entries.map(write) }
    },
  }
}

function removing(path: string, reason: SuppressionReason): ForeignEndpoint {
  return {
    method: 'DELETE',
    path,
    methods: [],
    async answer({ params }, ours) {
      const entry = await suppressionOf(ours, params.email ?? '', reason)
      if (entry === undefined) throw new EngineError('SUPPRESSION_NOT_FOUND', 'The address is not on this list.')
      await release(ours, entry)
      return { status: 204 }
    },
  }
}
