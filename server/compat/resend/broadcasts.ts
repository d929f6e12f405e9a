import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { toOurs, toTheirs } from '../../../core/values/resend-placeholders.ts'
import { addressesIn, lineOf } from '../kit/addresses.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf, wholeList } from './lists.ts'
import { when } from './when.ts'

const content = {
  name: v.nullish(v.string()),
  segment_id: v.nullish(v.string()),
  audience_id: v.nullish(v.string()),
  from: v.nullish(v.string()),
  subject: v.nullish(v.string()),
  html: v.nullish(v.string()),
  text: v.nullish(v.string()),
  reply_to: v.nullish(v.union([v.string(), v.array(v.string())])),
  preview_text: v.nullish(v.string()),
  topic_id: v.nullish(v.string()),
}
const Changes = v.object(content)
const NewBroadcast = v.object({
  ...content,
  from: v.string(),
  subject: v.string(),
  send: v.nullish(v.boolean()),
  scheduled_at: v.nullish(v.string()),
})
const Later = v.object({ scheduled_at: v.nullish(v.string()) })
const FIELDS = {
  body: 'html',
  replyTo: 'reply_to',
  preheader: 'preview_text',
  segmentId: 'segment_id',
  topicId: 'topic_id',
  scheduledFor: 'scheduled_at',
}

type Recipient = Answer<'listRecipients'>['data'][number]
type Campaign = Answer<'listCampaigns'>['data'][number]

/** `resend.broadcasts`, which are campaigns here. */
export const broadcasts: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/broadcasts',
    methods: ['broadcasts.create'],
    difference:
      'needs `html`; the text is made from it; a mail without an unsubscribe link gets a footer with one; `{{ … }}` is a placeholder, too',
    body: 'json',
    bodyLimit: 4 * 1024 * 1024,
    fields: FIELDS,
    async answer({ body, now }, ours) {
      const { send, scheduled_at, ...given } = parse(NewBroadcast, body)
      if (scheduled_at && !send) throw invalidField('scheduled_at', 'custom', 'needs `send: true`')
      if (!given.html) throw invalidField('html', 'required', 'is required')
      if (!given.segment_id && !given.audience_id) throw invalidField('segment_id', 'required', 'is required')
      const scheduledFor = scheduled_at ? when(scheduled_at, now) : undefined
      const api = typedApi(ours)
      const { data } = await api.call('createCampaign', {
        body: { name: given.subject, audienceType: 'SEGMENT', ...writtenOf(given) },
      })
      if (send) await api.call('sendCampaign', { path: { id: data.id }, body: scheduledFor ? { scheduledFor } : {} })
      return { status: 201, body: { object: 'broadcast', id: data.id } }
    },
  },
  {
    method: 'GET',
    path: '/broadcasts',
    methods: ['broadcasts.list'],
    difference: '`before` looks through the newest 1,000',
    answer({ query }, ours) {
      const read = (asked: Readonly<Record<string, string>>) => typedApi(ours).call('listCampaigns', { query: asked })
      return pageOf(query, { read }, listed)
    },
  },
  {
    method: 'GET',
    path: '/broadcasts/:id',
    methods: ['broadcasts.get'],
    difference: 'without `text`; `status` may also be `canceled` or `failed`',
    async answer({ params: { id = '' } }, ours) {
      const campaign = await typedApi(ours).call('getCampaign', { path: { id } })
      const { from, fromName, subject, replyTo, preheader, topicId, body } = campaign
      const shown = {
        object: 'broadcast',
        ...listed(campaign),
        from: lineOf(from, fromName),
        subject: toTheirs(subject),
        reply_to: replyTo === undefined ? null : addressesIn(replyTo),
        preview_text: preheader ?? null,
        topic_id: topicId ?? null,
        html: toTheirs(body),
        text: null,
      }
      return { status: 200, body: shown }
    },
  },
  {
    method: 'PATCH',
    path: '/broadcasts/:id',
    methods: ['broadcasts.update'],
    body: 'json',
    bodyLimit: 4 * 1024 * 1024,
    fields: FIELDS,
    async answer({ params: { id = '' }, body }, ours) {
      await typedApi(ours).call('patchCampaign', { path: { id }, body: writtenOf(parse(Changes, body)) })
      return { status: 200, body: { object: 'broadcast', id } }
    },
  },
  {
    method: 'POST',
    path: '/broadcasts/:id/send',
    methods: ['broadcasts.send'],
    body: 'json-or-nothing',
    fields: FIELDS,
    async answer({ params: { id = '' }, body, now }, ours) {
      const { scheduled_at: at } = parse(Later, body ?? {})
      const scheduledFor = at ? { scheduledFor: when(at, now) } : {}
      await typedApi(ours).call('sendCampaign', { path: { id }, body: scheduledFor })
      return { status: 200, body: { object: 'broadcast', id } }
    },
  },
  {
    method: 'POST',
    path: '/broadcasts/:id/cancel',
    methods: ['broadcasts.cancel'],
    difference: 'for good: it does not become a draft again; `broadcasts.duplicate` makes one',
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('cancelCampaign', { path: { id } })
      return { status: 200, body: { object: 'broadcast', id } }
    },
  },
  {
    method: 'POST',
    path: '/broadcasts/:id/duplicate',
    methods: ['broadcasts.duplicate'],
    async answer({ params: { id = '' } }, ours) {
      const copy = await typedApi(ours).call('duplicateCampaign', { path: { id } })
      return { status: 201, body: { object: 'broadcast', id: copy.id } }
    },
  },
  {
    method: 'DELETE',
    path: '/broadcasts/:id',
    methods: ['broadcasts.remove'],
    difference: 'also after it was sent, whose mails stay in the lists',
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('deleteCampaign', { path: { id } })
      return { status: 200, body: { object: 'broadcast', id, deleted: true } }
    },
  },
  {
    method: 'GET',
    path: '/broadcasts/:id/clicked-links',
    methods: ['broadcasts.clickedLinks'],
    difference: 'the id of a link is its address',
    async answer({ params: { id = '' }, query }, ours) {
      const links = await typedApi(ours).call('listCampaignLinks', { path: { id } })
      const all = links.map((link) => ({ ...link, id: link.url }))
      return wholeList(query, all, ({ url, clicks, people }) => ({ id: url, url, clicks, unique_clicks: people }))
    },
  },
  {
    method: 'GET',
    path: '/broadcasts/:id/recipients',
    methods: ['broadcasts.recipients'],
    difference: 'without counts and clicked links; neither `suppressed` nor `bounceType` can be asked for',
    answer({ params: { id = '' }, query }, ours) {
      const { type, email } = parse(Asked, Object.fromEntries(query))
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listRecipients', { path: { id }, query: { ...asked, [type]: 'true' } })
      const keeps = (each: Recipient) => email === undefined || each.email === email.toLowerCase()
      return pageOf(query, { read, keeps }, (each) => ({
        id: each.id,
        contact_id: each.contactId,
        email: each.email,
      }))
    },
  },
]

const Asked = v.object({
  type: v.picklist(['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed']),
  email: v.optional(v.string()),
})

/** The fields of a campaign that are given. */
function writtenOf(given: v.InferOutput<typeof Changes>) {
  const { name, from, subject, html, text, preview_text, topic_id, reply_to } = given
  if (text && !html) throw invalidField('html', 'required', 'is required: the text is made from it')
  const segmentId = given.segment_id ?? given.audience_id
  return {
    ...(name ? { name } : {}),
    ...(from == null ? {} : { from }),
    ...(subject == null ? {} : { subject: toOurs(subject) }),
    ...(html == null ? {} : { body: toOurs(html) }),
    ...(segmentId == null ? {} : { segmentId }),
    ...(preview_text === undefined ? {} : { preheader: preview_text }),
    ...(topic_id === undefined ? {} : { topicId: topic_id }),
    ...(reply_to?.length ? { replyTo: reply_to } : {}),
  }
}

const STATUSES = {
  DRAFT: 'draft',
  SCHEDULED: 'queued',
  SENDING: 'queued',
  PAUSED: 'queued',
  SENT: 'sent',
  CANCELLED: 'canceled',
  FAILED: 'failed',
} as const

function listed({ id, name, segmentId, status, createdAt, scheduledFor, sentAt }: Campaign) {
  return {
    id,
    name,
    segment_id: segmentId ?? null,
    audience_id: segmentId ?? null,
    status: STATUSES[status],
    created_at: createdAt,
    scheduled_at: scheduledFor,
    sent_at: sentAt ?? null,
  }
}
