import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { parse } from '../../../core/values/parse.ts'
import { requireAddress } from '../kit/suppressed.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

/** The most addresses of a request, and of an answer. */
const MAX_ADDRESSES = 1000

const NewGroup = v.object({
  name: v.string(),
  description: v.nullish(v.string()),
  is_default: v.nullish(v.boolean()),
})
const Changes = v.object({ name: v.optional(v.string()), description: v.nullish(v.string()) })
const Recipients = v.object({
  recipient_emails: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_ADDRESSES)),
})

/** A group: a topic of ours. */
export type Group = Answer<'listTopics'>['data'][number]

/** Unsubscribe groups: topics that contacts get unless they leave them. */
export const groups: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/v3/asm/groups',
    methods: [],
    difference: 'the [topics](topics.md); the id is a number made from that of the topic; `last_email_sent_at` is null',
    async answer({ query }, ours) {
      const wanted = query.getAll('id')
      const all = (await groupsOf(ours)).map(shown)
      return { status: 200, body: wanted.length === 0 ? all : all.filter(({ id }) => wanted.includes(String(id))) }
    },
  },
  {
    method: 'POST',
    path: '/v3/asm/groups',
    methods: [],
    difference: 'a topic that contacts get until they leave it; `is_default` is refused',
    body: 'json',
    async answer({ body }, ours) {
      const { name, description, is_default } = parse(NewGroup, body)
      if (is_default) throw invalidField('is_default', 'custom', 'is not possible here: a template names its topic')
      const topic = await typedApi(ours).call('createTopic', {
        body: { name, description: description ?? null, standing: 'in' },
      })
      return { status: 201, body: shown(topic) }
    },
  },
  {
    method: 'GET',
    path: '/v3/asm/groups/:id',
    methods: [],
    async answer({ params }, ours) {
      return { status: 200, body: shown(await groupOf(params.id, ours)) }
    },
  },
  {
    method: 'PATCH',
    path: '/v3/asm/groups/:id',
    methods: [],
    body: 'json',
    async answer({ params, body }, ours) {
      const change = parse(Changes, body)
      const { id } = await groupOf(params.id, ours)
      const topic = await typedApi(ours).call('changeTopic', { path: { id }, body: definedOnly(change) })
      return { status: 201, body: shown(topic) }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/asm/groups/:id',
    methods: [],
    async answer({ params }, ours) {
      const { id } = await groupOf(params.id, ours)
      await typedApi(ours).call('deleteTopic', { path: { id } })
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: '/v3/asm/groups/:id/suppressions',
    methods: [],
    difference: `contacts who left the topic, the newest ${MAX_ADDRESSES.toLocaleString('en')}`,
    async answer({ params }, ours) {
      const { slug } = await groupOf(params.id, ours)
      const field = `topic.${slug}`
      const conditions = [
        { field, operator: 'exists' },
        { field, operator: 'equals', value: false },
      ]
      const filter = JSON.stringify({ operator: 'AND', conditions })
      const emails: string[] = []
      for (let cursor: string | null | undefined; cursor !== null && emails.length < MAX_ADDRESSES; ) {
        const query = definedOnly({ filter, limit: '100', total: 'false', cursor })
        const page: Answer<'listContacts'> = await typedApi(ours).call('listContacts', { query })
        emails.push(...page.data.map(({ email }) => email))
        cursor = page.cursor
      }
      return { status: 200, body: emails }
    },
  },
  {
    method: 'POST',
    path: '/v3/asm/groups/:id/suppressions',
    methods: [],
    difference: `up to ${MAX_ADDRESSES.toLocaleString('en')} addresses, one after the other; an unknown one becomes a contact who is not subscribed`,
    body: 'json',
    async answer({ params, body }, ours) {
      const emails = addressesIn(body)
      const { id } = await groupOf(params.id, ours)
      const unknown = new Set(emails)
      for (const email of await knownAmong(emails, ours)) unknown.delete(email)
      for (const email of emails) {
        if (unknown.delete(email)) {
          await typedApi(ours).call('upsertContact', { body: { email, subscribed: false } })
        }
        await choose(email, id, false, ours)
      }
      return { status: 201, body: { recipient_emails: emails } }
    },
  },
  {
    method: 'POST',
    path: '/v3/asm/groups/:id/suppressions/search',
    methods: [],
    body: 'json',
    async answer({ params, body }, ours) {
      const emails = addressesIn(body)
      const { id } = await groupOf(params.id, ours)
      const found: string[] = []
      for (const email of await knownAmong(emails, ours)) if (await hasLeft(email, id, ours)) found.push(email)
      return { status: 200, body: found }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/asm/groups/:id/suppressions/:email',
    methods: [],
    difference: 'the contact gets the topic again',
    async answer({ params }, ours) {
      const email = requireAddress(params.email, 'email')
      const { id } = await groupOf(params.id, ours)
      await choose(email, id, true, ours)
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: '/v3/asm/suppressions/:email',
    methods: [],
    async answer({ params }, ours) {
      const email = requireAddress(params.email, 'email')
      const known = await knownAmong([email], ours)
      const choices = known.length === 0 ? [] : await choicesOf(email, ours)
      const left = new Set(
        choices.filter(({ chosen, subscribed }) => chosen && !subscribed).map(({ topicId }) => topicId),
      )
      const suppressions = (await groupsOf(ours)).map((group) => {
        const { id, name, description, is_default } = shown(group)
        return { id, name, description, is_default, suppressed: left.has(group.id) }
      })
      return { status: 200, body: { suppressions } }
    },
  },
]

/** The number of a topic, as SendGrid's groups have one: 31 bits, the same each time. */
export function numberOf(topicId: string): number {
  return createHash('sha256').update(topicId).digest().readUInt32BE() >>> 1
}

/** All groups. */
export async function groupsOf(ours: OurApi): Promise<readonly Group[]> {
  return (await typedApi(ours).call('listTopics')).data
}

/** The group with this number; the id and the short name of the topic are taken, too. Throws EngineError `TOPIC_NOT_FOUND`. */
async function groupOf(named: string | undefined, ours: OurApi): Promise<Group> {
  const all = await groupsOf(ours)
  const found = all.find(({ id, slug }) => String(numberOf(id)) === named || id === named || slug === named)
  if (found !== undefined) return found
  throw new EngineError('TOPIC_NOT_FOUND', `There is no group ${named}.`)
}

function shown({ id, name, description, counts }: Group) {
  return {
    id: numberOf(id),
    name,
    description: description ?? '',
    is_default: false,
    unsubscribes: counts.unsubscribed,
    last_email_sent_at: null,
  }
}

/** The addresses of a request, once each. Throws EngineError `VALIDATION_ERROR`. */
function addressesIn(body: unknown): readonly string[] {
  const given = parse(Recipients, body).recipient_emails
  return [...new Set(given.map((email, i) => requireAddress(email, `recipient_emails.${i}`)))]
}

/** Those that are contacts. */
async function knownAmong(emails: readonly string[], ours: OurApi): Promise<readonly string[]> {
  const found: string[] = []
  for (let at = 0; at < emails.length; at += 500) {
    const asked = { emails: emails.slice(at, at + 500) }
    found.push(...(await typedApi(ours).call('lookUpContacts', { body: asked })).found)
  }
  return found
}

async function choicesOf(email: string, ours: OurApi) {
  return (await typedApi(ours).call('getContactTopics', { path: { id: email } })).topics
}

async function hasLeft(email: string, topicId: string, ours: OurApi): Promise<boolean> {
  const choice = (await choicesOf(email, ours)).find((each) => each.topicId === topicId)
  return choice?.chosen === true && !choice.subscribed
}

async function choose(email: string, topic: string, subscribed: boolean, ours: OurApi): Promise<void> {
  await typedApi(ours).call('chooseTopics', { path: { id: email }, body: { topics: [{ topic, subscribed }] } })
}
