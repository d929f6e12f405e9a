import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { labelsAmong } from '../kit/labels.ts'
import { numberIn } from '../kit/number-in.ts'
import { rowsOf } from '../kit/rows-of.ts'
import { release, suppressedAmong, suppressionOf } from '../kit/suppressed.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { BOUNCES } from './bounce-kinds.ts'

type Email = Pick<
  Answer<'getEmail'> | Answer<'listEmails'>['data'][number],
  'id' | 'to' | 'from' | 'subject' | 'tags' | 'bouncedAt' | 'error' | 'updatedAt'
>

/** The last place of the list that is read. */
const MAX_PLACE = 1000
const DIFFERS = '`ID` is that of the mail, a text; only permanent bounces are kept'

/** Bounces: the mails that bounced, and the addresses that get no more mail because of it. */
export const bounces: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/deliveryStats',
    methods: ['getDeliveryStatistics'],
    difference: 'of all mail that is kept; only permanent bounces are counted',
    async answer(_, ours) {
      const [bounced, inactive] = await Promise.all([
        typedApi(ours).call('listEmails', { query: { bounced: 'true', limit: '1' } }),
        typedApi(ours).call('listSuppressions', { query: { limit: '1' } }),
      ])
      const { Type, Name } = BOUNCES.hard
      const Bounces = [
        { Name: 'All', Count: bounced.total },
        { Type, Name, Count: bounced.total },
      ]
      return { status: 200, body: { InactiveMails: inactive.total, Bounces } }
    },
  },
  {
    method: 'GET',
    path: '/bounces',
    methods: ['getBounces'],
    difference: `${DIFFERS}; \`count\` and \`offset\` together are at most ${MAX_PLACE.toLocaleString('en')}; of the filters \`type\`, \`emailFilter\`, \`tag\` and \`messageID\` count`,
    async answer({ query }, ours) {
      const asked = new URLSearchParams(
        [...query].map(([name, value]): [string, string] => [name.toLowerCase(), value]),
      )
      const count = numberIn(asked, 'count', { usual: 100, least: 1, most: 500 })
      const offset = numberIn(asked, 'offset', { usual: 0, most: MAX_PLACE })
      if (count + offset > MAX_PLACE) throw invalidField('offset', 'too_big', `and count must be at most ${MAX_PLACE}`)
      const type = asked.get('type') ?? BOUNCES.hard.Type
      if (type !== BOUNCES.hard.Type) return { status: 200, body: { TotalCount: 0, Bounces: [] } }
      const [address, tag, id] = ['emailfilter', 'tag', 'messageid'].map((name) => asked.get(name) || undefined)
      const search = [searched('to:', address, 'emailFilter'), searched('tag:_tag=', tag, 'tag')].join(' ').trim()
      const { rows, total } = await rowsOf(
        (page) =>
          typedApi(ours).call('listEmails', { query: { ...page, bounced: 'true', ...(search ? { search } : {}) } }),
        { most: offset + count, counts: (each) => id === undefined || each.id === id },
      )
      const found = rows.slice(offset)
      return { status: 200, body: { TotalCount: total, Bounces: await written(ours, found) } }
    },
  },
  {
    method: 'GET',
    path: '/bounces/:id',
    methods: ['getBounce'],
    difference: DIFFERS,
    async answer({ params }, ours) {
      const [bounce] = await written(ours, [await bouncedMail(ours, params.id)])
      return { status: 200, body: bounce }
    },
  },
  {
    method: 'PUT',
    path: '/bounces/:id/activate',
    methods: ['activateBounce'],
    difference: `${DIFFERS}; takes the address from the list of suppressed ones`,
    async answer({ params }, ours) {
      const mail = await bouncedMail(ours, params.id)
      const entry = await suppressionOf(ours, mail.to, 'BOUNCE')
      if (entry !== undefined) await release(ours, entry)
      const [Bounce] = await written(ours, [mail])
      return { status: 200, body: { Message: 'OK', Bounce } }
    },
  },
]

/** A word of a search, with its value in quotes. */
function searched(prefix: string, value: string | undefined, field: string): string {
  if (value === undefined) return ''
  if (value.includes('"')) throw invalidField(field, 'custom', 'must not contain quotes')
  return prefix.replace(/:(.*)$/, (_, inner) => `:"${inner}${value}"`)
}

async function bouncedMail(ours: OurApi, id = ''): Promise<Email> {
  try {
    const mail = await typedApi(ours).call('getEmail', { path: { id } })
    if (mail.bouncedAt !== undefined) return mail
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'EMAIL_NOT_FOUND') throw error
  }
  throw invalidField('bounceid', 'custom', `is ${id}, and there is no such bounce`)
}

async function written(ours: OurApi, mails: readonly Email[]): Promise<readonly object[]> {
  const inactive = await suppressedAmong(ours, [...new Set(mails.map(({ to }) => to))])
  return mails.map(({ id, to, from, subject, tags, bouncedAt, updatedAt, error }) => ({
    RecordType: 'Bounce',
    ID: id,
    ...BOUNCES.hard,
    Tag: labelsAmong('tag', tags)[0] ?? '',
    MessageID: id,
    ServerID: 0,
    Details: error ?? '',
    Email: to,
    From: from ?? '',
    BouncedAt: bouncedAt ?? updatedAt,
    DumpAvailable: false,
    Inactive: inactive.has(to),
    CanActivate: inactive.has(to),
    Subject: subject ?? '',
    MessageStream: 'outbound',
  }))
}
