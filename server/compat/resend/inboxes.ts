import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { domainOf } from '../../../core/values/email-address.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { listOf, pageOf } from './lists.ts'
import { renameLabel } from './rename-label.ts'

/** The colour of a label that is given none. */
const GREY = '#667085'

const NewInbox = v.object({
  email_address: v.string(),
  name: v.nullish(v.string()),
  forwarding: v.nullish(v.boolean()),
  from_name: v.nullish(v.string()),
})
const Changes = v.object({ name: v.nullish(v.string()), from_name: v.nullish(v.string()) })
const NewLabel = v.object({ name: v.string(), color: v.nullish(v.string()) })
const LabelChanges = v.object({ name: v.nullish(v.string()), color: v.nullish(v.string()) })
const FIELDS = { address: 'email_address', senderName: 'from_name' }
const LABEL_FIELDS = { labels: 'color', version: 'labels' }

/** An inbox of ours. */
export type Inbox = Answer<'getInbox'>

/** `resend.inboxes` and `resend.inboxes.labels`. An inbox is named by its id or its address. */
export const inboxes: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/inboxes',
    methods: ['inboxes.create'],
    difference:
      'without a `name` it has the address as its name; `forwarding` is refused: mail comes to the address itself',
    body: 'json',
    fields: FIELDS,
    async answer({ body }, ours) {
      const { email_address: address, name, forwarding, from_name: senderName } = parse(NewInbox, body)
      if (forwarding) throw invalidField('forwarding', 'custom', 'must be false: mail comes to the address itself')
      const { id } = await typedApi(ours).call('createInbox', {
        body: { address, name: name ?? address.slice(0, 100), ...definedOnly({ senderName: senderName ?? undefined }) },
      })
      return { status: 201, body: { object: 'inbox', id } }
    },
  },
  {
    method: 'GET',
    path: '/inboxes',
    methods: ['inboxes.list'],
    difference: '`last_received` is null, which `inboxes.get` has',
    answer({ query }, ours) {
      return pageOf(query, { read: (asked) => typedApi(ours).call('listInboxes', { query: asked }) }, listed)
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id',
    methods: ['inboxes.get'],
    difference: '`last_received` is the time of the latest message, also of one that was sent',
    async answer({ params, project }, ours) {
      const api = typedApi(ours)
      const inbox = await inboxOf(params.id, ours)
      const path = { id: inbox.id }
      const { total: drafts } = await api.call('listDrafts', { path, query: { limit: '1' } })
      const latest = await api.call('listThreads', { path, query: { limit: '1', folder: 'all' } })
      const domains = await api.call('listDomains', { path: { projectId: project.id } })
      const shown = {
        object: 'inbox',
        ...listed(inbox),
        domain_id: domains.find(({ domain }) => domain === domainOf(inbox.address))?.id ?? '',
        receiving_address: null,
        drafts,
        last_received: latest.data[0]?.lastMessageAt ?? null,
      }
      return { status: 200, body: shown }
    },
  },
  {
    method: 'PATCH',
    path: '/inboxes/:id',
    methods: ['inboxes.update'],
    body: 'json',
    fields: FIELDS,
    async answer({ params, body }, ours) {
      const { name, from_name: senderName } = parse(Changes, body)
      const { id } = await inboxOf(params.id, ours)
      const change = definedOnly({ name: name ?? undefined, senderName })
      await typedApi(ours).call('changeInbox', { path: { id }, body: change })
      return { status: 200, body: { object: 'inbox', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id',
    methods: ['inboxes.remove'],
    difference: 'its mails stay in the list of all mails',
    async answer({ params }, ours) {
      const { id } = await inboxOf(params.id, ours)
      await typedApi(ours).call('deleteInbox', { path: { id } })
      return { status: 200, body: { object: 'inbox', id, deleted: true } }
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id/labels',
    methods: ['inboxes.labels.list'],
    difference: 'the id of a label stands for its name; `created_at` is that of the inbox',
    async answer({ params }, ours) {
      const inbox = await inboxOf(params.id, ours)
      return listOf(inbox.labels.map((label) => ({ ...shownLabel(label), created_at: inbox.createdAt })))
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/labels',
    methods: ['inboxes.labels.create'],
    difference: 'at most 50 for an inbox',
    body: 'json',
    fields: LABEL_FIELDS,
    async answer({ params, body }, ours) {
      const { name: given, color } = parse(NewLabel, body)
      const name = given.trim()
      const inbox = await inboxOf(params.id, ours)
      if (inbox.labels.some((label) => label.name === name)) {
        throw new EngineError('CONFLICT', `The inbox has a label “${name}” already.`)
      }
      await changeLabels(inbox, [...inbox.labels, { name, colour: color ?? GREY }], ours)
      return { status: 201, body: { object: 'inbox_label', id: labelId(name) } }
    },
  },
  {
    method: 'PATCH',
    path: '/inboxes/:id/labels/:label',
    methods: ['inboxes.labels.update'],
    difference:
      'a new name is a new id; threads have labels by their names, and get the new one in turn, at most 1,000 in a request',
    body: 'json',
    fields: LABEL_FIELDS,
    async answer({ params, body }, ours) {
      const { name, color } = parse(LabelChanges, body)
      const inbox = await inboxOf(params.id, ours)
      const label = labelOf(inbox, params.label)
      const changed = { name: name?.trim() ?? label.name, colour: color ?? label.colour }
      if (changed.name === label.name) {
        const labels = inbox.labels.map((each) => (each === label ? changed : each))
        await changeLabels(inbox, labels, ours)
      } else await renameLabel(inbox, label, changed, ours)
      return { status: 200, body: { object: 'inbox_label', id: labelId(changed.name) } }
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id/labels/:label',
    methods: ['inboxes.labels.remove'],
    async answer({ params }, ours) {
      const inbox = await inboxOf(params.id, ours)
      const label = labelOf(inbox, params.label)
      const left = inbox.labels.filter((each) => each !== label)
      await changeLabels(inbox, left, ours)
      return { status: 200, body: { object: 'inbox_label', id: params.label, deleted: true } }
    },
  },
]

/** The inbox with this id or address. Throws EngineError `INBOX_NOT_FOUND`. */
export async function inboxOf(named: string | undefined, ours: OurApi): Promise<Inbox> {
  const api = typedApi(ours)
  if (!named?.includes('@')) return api.call('getInbox', { path: { id: named ?? '' } })
  const address = named.trim().toLowerCase()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = definedOnly({ limit: '100', cursor })
    const page: Answer<'listInboxes'> = await api.call('listInboxes', { query })
    const found = page.data.find((inbox) => inbox.address === address)
    if (found !== undefined) return found
    cursor = page.cursor
  }
  throw new EngineError('INBOX_NOT_FOUND', `There is no inbox ${address}.`)
}

/** The label of an inbox with this id. Throws EngineError `RESOURCE_NOT_FOUND`. */
export function labelOf(inbox: Inbox, id: string | undefined): Inbox['labels'][number] {
  const found = inbox.labels.find(({ name }) => labelId(name) === id)
  if (found !== undefined) return found
  throw new EngineError('RESOURCE_NOT_FOUND', `The inbox has no label ${id}.`)
}

/** A label as Resend shows it. Ours have no ids: the id is the name, in letters that stand in a path. */
export function shownLabel({ name, colour }: Inbox['labels'][number]) {
  return { id: labelId(name), name, color: colour }
}

function labelId(name: string): string {
  return Buffer.from(name).toString('base64url')
}

/** Refused when the inbox was changed in the meantime, so that no label of another request is lost. */
async function changeLabels({ id, version }: Inbox, labels: Inbox['labels'], ours: OurApi): Promise<void> {
  await typedApi(ours).call('changeInbox', { path: { id }, body: { labels, version } })
}

function listed({ id, name, address, senderName, unread, createdAt, updatedAt }: Inbox) {
  return {
    id,
    name,
    email_address: address,
    from_name: senderName ?? null,
    unread,
    last_received: null,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
