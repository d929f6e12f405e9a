import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { readMailboxLine } from '../../../core/values/mailbox-line.ts'
import { lineOf } from '../kit/addresses.ts'
import { labelsAmong, withoutLabels } from '../kit/labels.ts'
import { numberIn } from '../kit/number-in.ts'
import { rowsOf } from '../kit/rows-of.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

type Listed = Answer<'listEmails'>['data'][number]
type Detail = Answer<'getEmail'>

/** The last place of a list that is read. */
const MAX_PLACE = 1000

/** The words of a search that a filter of Postmark stands for. */
const SEARCHED: ReadonlyMap<string, string> = new Map([
  ['recipient', 'to:'],
  ['fromemail', 'from:'],
  ['subject', 'subject:'],
  ['tag', 'tag:_tag='],
  ['fromdate', 'after:'],
  ['todate', 'before:'],
])

/** Looking mails up. */
export const messages: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/messages/outbound',
    methods: ['getOutboundMessages'],
    difference: `\`count\` and \`offset\` together are at most ${MAX_PLACE.toLocaleString('en')}; \`Cc\`, \`Bcc\` and \`Attachments\` are empty; \`TotalCount\` counts received mail, too; whether it is tracked is not said; \`todate\` is the first day that is left out`,
    async answer({ query }, ours) {
      const asked = new URLSearchParams()
      // names of metadata keep their case
      for (const [name, value] of query) asked.append(name.startsWith('metadata_') ? name : name.toLowerCase(), value)
      const count = numberIn(asked, 'count', { usual: 100, least: 1, most: 500 })
      const offset = numberIn(asked, 'offset', { usual: 0, most: MAX_PLACE })
      if (count + offset > MAX_PLACE) throw invalidField('offset', 'too_big', `and count must be at most ${MAX_PLACE}`)
      const { rows, total } = await mailsOf(ours, asked, offset + count)
      const body = { TotalCount: total, Messages: rows.slice(offset).map(listed) }
      return { status: 200, body }
    },
  },
  {
    method: 'GET',
    path: '/messages/outbound/:id/details',
    methods: ['getOutboundMessageDetails'],
    difference:
      'the events are deliveries, opens, clicks and bounces, at most 100; `Body`, `Attachments` and whether it is tracked are left out',
    async answer({ params }, ours) {
      const email = await typedApi(ours).call('getEmail', { path: { id: params.id ?? '' } })
      if (email.status === 'RECEIVED') throw new EngineError('EMAIL_NOT_FOUND', 'This message came in.')
      return { status: 200, body: detailed(email) }
    },
  },
]

async function mailsOf(
  ours: OurApi,
  asked: URLSearchParams,
  most: number,
): Promise<{ readonly rows: readonly Listed[]; readonly total: number }> {
  const search = searchOf(asked)
  const status = asked.get('status')?.toLowerCase()
  return rowsOf<Listed>(
    (page) =>
      typedApi(ours).call('listEmails', {
        query: {
          ...page,
          ...(search === '' ? {} : { search }),
          ...(status === 'queued' ? { status: 'QUEUED' } : {}),
          ...(status === 'sent' || status === 'processed' ? { sent: 'true' } : {}),
        },
      }),
    { most, counts: (each) => each.status !== 'RECEIVED' },
  )
}

function searchOf(asked: URLSearchParams): string {
  const words: string[] = []
  for (const [name, value] of asked) {
    const prefix = SEARCHED.get(name) ?? (name.startsWith('metadata_') ? `tag:${name.slice(9)}=` : undefined)
    if (prefix === undefined || value === '') continue
    if (value.includes('"') || /["\s]/.test(prefix)) throw invalidField(name, 'custom', 'must not contain quotes')
    // a tag is quoted as a whole, name and value
    words.push(prefix.replace(/:(.*)$/, (_, inner) => `:"${inner}${value}"`))
  }
  return words.join(' ')
}

function listed({ id, to, toName, tags, createdAt, from, fromName, subject, status }: Listed): object {
  return {
    MessageID: id,
    Tag: labelsAmong('tag', tags)[0] ?? null,
    To: [{ Email: to, Name: toName ?? null }],
    Cc: [],
    Bcc: [],
    Recipients: [to],
    ReceivedAt: createdAt,
    From: from === null ? null : lineOf(from, fromName),
    Subject: subject,
    Attachments: [],
    Status: status === 'QUEUED' || status === 'SENDING' ? 'Queued' : 'Sent',
    Metadata: withoutLabels('tag', tags),
    MessageStream: 'outbound',
    Sandboxed: false,
  }
}

function detailed(email: Detail): object {
  const of = (lines: readonly string[] | undefined) =>
    (lines ?? []).map((line) => {
      const { email: Email, name } = readMailboxLine(line)
      return { Email, Name: name ?? null }
    })
  const first = { Email: email.to, Name: email.toName ?? null }
  const [To, Cc, Bcc] = [[first, ...of(email.alsoTo)], of(email.cc), of(email.bcc)]
  return {
    ...listed(email),
    To,
    Cc,
    Bcc,
    Recipients: [...To, ...Cc, ...Bcc].map(({ Email }) => Email),
    HtmlBody: email.body,
    TextBody: email.text,
    MessageEvents: email.events.flatMap(eventOf),
  }
}

const EVENTS: Readonly<Record<string, string>> = {
  'email.delivery': 'Delivered',
  'email.open': 'Opened',
  'email.click': 'LinkClicked',
  'email.bounce': 'Bounced',
}

function eventOf({ name, data, createdAt }: Detail['events'][number]): readonly object[] {
  const Type = EVENTS[name]
  if (Type === undefined) return []
  const told = Object.entries({ Link: data.link, Summary: data.diagnostic })
  const Details = Object.fromEntries(told.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))
  return [{ Type, ReceivedAt: createdAt, Details }]
}
