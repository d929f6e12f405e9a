import * as v from 'valibot'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { toOurs, toTheirs, variablesOf } from '../../../core/values/resend-placeholders.ts'
import { addressesIn } from '../kit/addresses.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf } from './lists.ts'

const MOST = 50
const Variable = v.object({
  key: v.pipe(v.string(), v.regex(/^\w{1,50}$/, 'must have 1 to 50 letters, numbers and underscores')),
  type: v.nullish(v.picklist(['string', 'number'])),
  fallback_value: v.nullish(v.union([v.string(), v.number()])),
})
const content = {
  subject: v.nullish(v.string()),
  alias: v.nullish(v.string()),
  from: v.nullish(v.string()),
  reply_to: v.nullish(v.union([v.string(), v.array(v.string())])),
  variables: v.nullish(v.pipe(v.array(Variable), v.maxLength(MOST))),
}
const NewTemplate = v.object({ ...content, name: v.string(), html: v.string() })
const Changes = v.object({ ...content, name: v.nullish(v.string()), html: v.nullish(v.string()) })
const FIELDS = { body: 'html', replyTo: 'reply_to', slug: 'alias' }

type Template = Answer<'getTemplate'>

/** `resend.templates`. Placeholders are translated; a variable's fallback stands in them. */
export const templates: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/templates',
    methods: ['templates.create'],
    difference:
      'mail can be sent with it at once, before it is published; without `text`, which is made from the HTML; without a subject it has its name; variables are those in its texts',
    body: 'json',
    fields: FIELDS,
    async answer({ body }, ours) {
      const { name, subject, alias, ...given } = parse(NewTemplate, body)
      const written = writtenOf({ ...given, subject: subject || name })
      const slug = alias == null ? {} : { slug: alias }
      const { id } = await typedApi(ours).call('createTemplate', {
        body: { name, type: 'TRANSACTIONAL', subject: name, ...written, ...slug },
      })
      return { status: 201, body: { object: 'template', id } }
    },
  },
  {
    method: 'GET',
    path: '/templates',
    methods: ['templates.list'],
    difference: '`before` looks through the newest 1,000',
    answer({ query }, ours) {
      const read = (asked: Readonly<Record<string, string>>) => typedApi(ours).call('listTemplates', { query: asked })
      return pageOf(query, { read }, listed)
    },
  },
  {
    method: 'GET',
    path: '/templates/:id',
    methods: ['templates.get'],
    difference: 'the type of a variable is always `string`',
    async answer({ params: { id = '' } }, ours) {
      return { status: 200, body: detailed(await typedApi(ours).call('getTemplate', { path: { id } })) }
    },
  },
  {
    method: 'PATCH',
    path: '/templates/:id',
    methods: ['templates.update'],
    difference: 'without `text`; a new `alias` counts at once, the rest once it is published, as at Resend',
    body: 'json',
    fields: FIELDS,
    async answer({ params: { id = '' }, body }, ours) {
      const { alias, name, ...given } = parse(Changes, body)
      const api = typedApi(ours)
      const before = await api.call('getTemplate', { path: { id } })
      const change = { ...(name == null ? {} : { name }), ...writtenOf(given) }
      if (alias !== undefined) await api.call('changeTemplate', { path: { id: before.id }, body: { slug: alias } })
      if (Object.keys(change).length > 0) {
        const fields = { ...before.draft?.fields, ...change }
        await api.call('saveTemplateDraft', { path: { id: before.id }, body: fields })
      }
      return { status: 200, body: { object: 'template', id: before.id } }
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/publish',
    methods: ['templates.publish'],
    async answer({ params: { id: given = '' } }, ours) {
      const { id, draft } = await typedApi(ours).call('getTemplate', { path: { id: given } })
      if (draft !== undefined) await typedApi(ours).call('publishTemplate', { path: { id } })
      return { status: 200, body: { object: 'template', id } }
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/duplicate',
    methods: ['templates.duplicate'],
    async answer({ params }, ours) {
      const { id } = await typedApi(ours).call('duplicateTemplate', { path: { id: await idOf(params.id, ours) } })
      return { status: 201, body: { object: 'template', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    methods: ['templates.remove'],
    async answer({ params }, ours) {
      const id = await idOf(params.id, ours)
      await typedApi(ours).call('deleteTemplate', { path: { id } })
      return { status: 200, body: { object: 'template', id, deleted: true } }
    },
  },
]

/** The id of a template that is named by its id or its alias. */
async function idOf(named: string | undefined, ours: OurApi): Promise<string> {
  return (await typedApi(ours).call('getTemplate', { path: { id: named ?? '' } })).id
}

/** The texts of a template as ours has them. */
function writtenOf({ subject, html, from, reply_to, variables }: v.InferOutput<typeof Changes>) {
  const known = (variables ?? []).map(({ key, fallback_value: fallback }) => ({ key, fallback }))
  return {
    ...(subject == null ? {} : { subject: toOurs(subject, known) }),
    ...(html == null ? {} : { body: toOurs(html, known) }),
    ...(from == null ? {} : { from }),
    ...(reply_to?.length ? { replyTo: [reply_to].flat().join(', ') } : {}),
  }
}

function listed({ id, name, slug, createdAt, updatedAt }: Omit<Template, 'body'>) {
  return {
    id,
    name,
    status: 'published',
    alias: slug ?? null,
    published_at: updatedAt,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** With what its draft changes. */
function detailed(template: Template) {
  const { draft, version, createdAt, updatedAt } = template
  const name = draft?.fields.name ?? template.name
  const subject = draft?.fields.subject ?? template.subject
  const html = draft?.fields.body ?? template.body
  const reply = draft?.fields.replyTo ?? template.replyTo
  return {
    object: 'template',
    ...listed({ ...template, name }),
    subject: toTheirs(subject),
    html: toTheirs(html),
    text: null,
    from: draft?.fields.from ?? template.from ?? null,
    reply_to: reply === undefined ? null : addressesIn(reply),
    has_unpublished_versions: draft !== undefined,
    current_version_id: String(version),
    variables: variablesOf(subject, html).map(({ key, fallback }) => ({
      key,
      type: 'string',
      fallback_value: fallback ?? null,
      created_at: createdAt,
      updated_at: updatedAt,
    })),
  }
}
