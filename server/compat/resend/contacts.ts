import * as v from 'valibot'
import { EngineError } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf, wholeList } from './lists.ts'

const MOST = 50
const Property = v.nullable(v.union([v.string(), v.number(), v.boolean()]))
const Choice = v.object({ id: v.string(), subscription: v.picklist(['opt_in', 'opt_out']) })
const Choices = v.pipe(v.array(Choice), v.maxLength(MOST))

const person = {
  first_name: v.nullish(v.string()),
  last_name: v.nullish(v.string()),
  unsubscribed: v.nullish(v.boolean()),
  properties: v.nullish(v.record(v.string(), Property)),
}
const Changes = v.object(person)
const NewContact = v.object({
  ...person,
  email: v.string(),
  segments: v.nullish(v.pipe(v.array(v.union([v.string(), v.object({ id: v.string() })])), v.maxLength(MOST))),
  topics: v.nullish(Choices),
})
const FIELDS = { subscribed: 'unsubscribed', data: 'properties' }

type Contact = Answer<'getContact'>

/** `resend.contacts`. The paths below an audience are those of earlier versions of the package. */
export const contacts: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/contacts',
    methods: ['contacts.create'],
    difference: 'one whose address is known is changed; who unsubscribed stays so unless `unsubscribed` is false',
    body: 'json',
    fields: FIELDS,
    async answer({ body }, ours) {
      return { status: 201, body: { object: 'contact', id: await create(parse(NewContact, body), ours) } }
    },
  },
  {
    method: 'POST',
    path: '/audiences/:audience/contacts',
    methods: [],
    body: 'json',
    fields: FIELDS,
    async answer({ body, params: { audience = '' } }, ours) {
      const given = parse(NewContact, body)
      const id = await create({ ...given, segments: [audience] }, ours)
      return { status: 201, body: { object: 'contact', id } }
    },
  },
  ...['/contacts', '/segments/:segment/contacts', '/audiences/:segment/contacts'].map(
    (path): ForeignEndpoint => ({
      method: 'GET',
      path,
      methods: path === '/contacts' ? ['contacts.list'] : [],
      difference: '`before` looks through the newest 1,000',
      answer({ query, params: { segment } }, ours) {
        const api = typedApi(ours)
        const read = (asked: Readonly<Record<string, string>>) =>
          segment === undefined
            ? api.call('listContacts', { query: { ...asked, total: 'false' } })
            : api.call('listSegmentContacts', { path: { id: segment }, query: asked })
        return pageOf(query, { read }, listed)
      },
    }),
  ),
  ...['/contacts', '/audiences/:audience/contacts'].flatMap((base) => ofOne(base, base === '/contacts')),
  {
    method: 'GET',
    path: '/contacts/:id/segments',
    methods: ['contacts.segments.list'],
    difference: '`created_at` is when the contact came into the segment, null where only a filter says so',
    async answer({ query, params }, ours) {
      const id = await idOf(params.id, ours)
      const { data } = await typedApi(ours).call('listSegmentsOfContact', { path: { id } })
      return wholeList(query, data, ({ id: segment, name, since }) => ({ id: segment, name, created_at: since }))
    },
  },
  {
    method: 'POST',
    path: '/contacts/:id/segments/:segment',
    methods: ['contacts.segments.add'],
    difference: 'not to a segment with a filter',
    async answer({ params: { id: given, segment = '' } }, ours) {
      const id = await idOf(given, ours)
      await typedApi(ours).call('addSegmentMembers', { path: { id: segment }, body: { contactIds: [id] } })
      return { status: 200, body: { object: 'contact_segment', id: segment, contact_id: id, segment_id: segment } }
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/:id/segments/:segment',
    methods: ['contacts.segments.remove'],
    difference: 'not from a segment with a filter',
    async answer({ params: { id: given, segment = '' } }, ours) {
      const id = await idOf(given, ours)
      await typedApi(ours).call('removeSegmentMembers', { path: { id: segment }, body: { contactIds: [id] } })
      return { status: 200, body: { id: segment, audienceId: segment, deleted: true } }
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id/topics',
    methods: ['contacts.topics.list'],
    async answer({ query, params }, ours) {
      const { topics } = await typedApi(ours).call('getContactTopics', { path: { id: params.id ?? '' } })
      const all = topics.map((each) => ({ ...each, id: each.topicId }))
      return wholeList(query, all, ({ id, name, subscribed }) => ({
        id,
        name,
        description: null,
        subscription: subscribed ? 'opt_in' : 'opt_out',
      }))
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/:id/topics',
    methods: ['contacts.topics.update'],
    body: 'json',
    async answer({ params: { id = '' }, body }, ours) {
      const topics = choicesOf(parse(Choices, body))
      const { contactId } = await typedApi(ours).call('chooseTopics', { path: { id }, body: { topics } })
      return { status: 200, body: { object: 'contact', id: contactId } }
    },
  },
]

/** The endpoints of one contact, by its id or its address. */
function ofOne(base: string, isNamed: boolean): readonly ForeignEndpoint[] {
  const path = `${base}/:id`
  return [
    {
      method: 'GET',
      path,
      methods: isNamed ? ['contacts.get'] : [],
      async answer({ params }, ours) {
        const id = await idOf(params.id, ours)
        return { status: 200, body: detailed(await typedApi(ours).call('getContact', { path: { id } })) }
      },
    },
    {
      method: 'PATCH',
      path,
      methods: isNamed ? ['contacts.update'] : [],
      body: 'json',
      fields: FIELDS,
      async answer({ params, body }, ours) {
        const change = fieldsOf(parse(Changes, body))
        const id = await idOf(params.id, ours)
        await typedApi(ours).call('changeContact', { path: { id }, body: change })
        return { status: 200, body: { object: 'contact', id } }
      },
    },
    {
      method: 'DELETE',
      path,
      methods: isNamed ? ['contacts.remove'] : [],
      async answer({ params }, ours) {
        const id = await idOf(params.id, ours)
        await typedApi(ours).call('deleteContact', { path: { id } })
        return { status: 200, body: { object: 'contact', contact: id, id, deleted: true } }
      },
    },
  ]
}

/** The id of a contact that is named by its id or its address. Throws EngineError `CONTACT_NOT_FOUND`. */
async function idOf(named: string | undefined, ours: OurApi): Promise<string> {
  if (!named?.includes('@')) return named ?? ''
  const { contactId } = await typedApi(ours).call('getContactTopics', { path: { id: named } })
  return contactId
}

/** Segments and topics are looked up before the contact is written, so that nothing is half done. */
async function create(given: v.InferOutput<typeof NewContact>, ours: OurApi): Promise<string> {
  const { email, segments, topics, ...person } = given
  const api = typedApi(ours)
  const ids = (segments ?? []).map((each) => (typeof each === 'string' ? each : each.id))
  for (const id of ids) {
    const { type } = await api.call('getSegment', { path: { id } })
    if (type === 'STATIC') continue
    throw new EngineError('CONFLICT', `The segment ${id} has a filter, so contacts cannot be added to it.`)
  }
  for (const { id } of topics ?? []) await api.call('getTopic', { path: { id } })
  const isNew = (await api.call('lookUpContacts', { body: { emails: [email] } })).found.length === 0
  const fields = fieldsOf(person)
  const subscribed = isNew ? { subscribed: true } : {}
  const { id } = await api.call('upsertContact', { body: { email, ...subscribed, ...fields } })
  for (const segment of ids) {
    await api.call('addSegmentMembers', { path: { id: segment }, body: { contactIds: [id] } })
  }
  if (topics?.length) await api.call('chooseTopics', { path: { id }, body: { topics: choicesOf(topics) } })
  return id
}

function choicesOf(choices: v.InferOutput<typeof Choices>) {
  return choices.map(({ id, subscription }) => ({ topic: id, subscribed: subscription === 'opt_in' }))
}

/** A contact's fields as ours has them; null deletes a key. */
function fieldsOf({ first_name, last_name, unsubscribed, properties }: v.InferOutput<typeof Changes>) {
  const data = {
    ...properties,
    ...(first_name === undefined ? {} : { firstName: first_name }),
    ...(last_name === undefined ? {} : { lastName: last_name }),
  }
  return {
    ...(unsubscribed == null ? {} : { subscribed: !unsubscribed }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  }
}

function listed({ id, email, subscribed, data, createdAt }: Contact) {
  return {
    id,
    email,
    first_name: textOf(data.firstName),
    last_name: textOf(data.lastName),
    unsubscribed: !subscribed,
    created_at: createdAt,
  }
}

function detailed(contact: Contact) {
  const { firstName, lastName, ...properties } = contact.data
  const typed = Object.entries(properties).map(([key, value]) => {
    const isNumber = typeof value === 'number'
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [key, isNumber ? { type: 'number', value } : { type: 'string', value: text }] as const
  })
  return { object: 'contact', ...listed(contact), properties: Object.fromEntries(typed) }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
