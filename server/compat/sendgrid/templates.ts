import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { parse } from '../../../core/values/parse.ts'
import { numberIn } from '../kit/number-in.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { toLiquid } from './handlebars.ts'

/** The text of a template that has no version yet. */
const EMPTY = ' '
/** A template here has the version that is sent, and the draft of the next one. */
const ACTIVE = 'active'
const DRAFT = 'draft'

const NewTemplate = v.object({
  name: v.string(),
  generation: v.optional(v.picklist(['dynamic', 'legacy']), 'legacy'),
})
const Renamed = v.object({ name: v.optional(v.string()) })
const NewVersion = v.object({
  name: v.optional(v.string()),
  subject: v.optional(v.string()),
  html_content: v.optional(v.string()),
  active: v.optional(v.picklist([0, 1]), 1),
})
const FIELDS = { body: 'html_content' }
const LANGUAGE =
  'values, `if`, `unless`, `each`, `equals`, `greaterThan` and their like, `insert` and `length` of Handlebars are kept as [Liquid](templates.md), in which they are answered; other helpers are refused'

type Template = Answer<'getTemplate'>

/** Dynamic templates and their versions. */
export const templates: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/v3/templates',
    methods: [],
    difference: 'those of transactional mail, also those made elsewhere; without the texts of their versions',
    async answer({ query, url }, ours) {
      const limit = numberIn(query, 'page_size', { usual: 20, least: 1, most: 200 })
      const cursor = query.get('page_token')
      const page = await typedApi(ours).call('listTemplates', {
        query: definedOnly({ type: 'TRANSACTIONAL', limit: String(Math.min(limit, 100)), cursor: cursor || undefined }),
      })
      const self = `${url}/v3/templates?page_size=${limit}`
      const next = page.cursor === null ? {} : { next: `${self}&page_token=${encodeURIComponent(page.cursor)}` }
      const _metadata = { self, count: page.total, ...next }
      const result = page.data.map((template) => {
        const { html_content, plain_content, ...version } = activeOf(template)
        return shown(template, template.body === EMPTY ? [] : [version])
      })
      return { status: 200, body: { result, _metadata } }
    },
  },
  {
    method: 'POST',
    path: '/v3/templates',
    methods: [],
    difference: '`generation` is always `dynamic`; the id is the slug here',
    body: 'json',
    async answer({ body }, ours) {
      const { name } = parse(NewTemplate, body)
      const slug = `d-${randomUUID().replaceAll('-', '')}`
      const template = await typedApi(ours).call('createTemplate', {
        body: { name, slug, subject: name, body: EMPTY, type: 'TRANSACTIONAL' },
      })
      return { status: 201, body: shown(template, []) }
    },
  },
  {
    method: 'GET',
    path: '/v3/templates/:id',
    methods: [],
    difference: 'the versions are `active`, which is sent, and `draft`',
    async answer({ params }, ours) {
      return { status: 200, body: whole(await templateOf(params.id, ours)) }
    },
  },
  {
    method: 'PATCH',
    path: '/v3/templates/:id',
    methods: [],
    body: 'json',
    async answer({ params, body }, ours) {
      const change = parse(Renamed, body)
      const { id } = await templateOf(params.id, ours)
      await typedApi(ours).call('changeTemplate', { path: { id }, body: definedOnly(change) })
      return { status: 200, body: whole(await templateOf(id, ours)) }
    },
  },
  {
    method: 'POST',
    path: '/v3/templates/:id',
    methods: [],
    difference: 'makes a copy, with the version that is sent',
    body: 'json-or-nothing',
    async answer({ params, body }, ours) {
      const { name } = parse(Renamed, body ?? {})
      const source = await templateOf(params.id, ours)
      const { id } = await typedApi(ours).call('duplicateTemplate', { path: { id: source.id }, body: {} })
      const slug = `d-${randomUUID().replaceAll('-', '')}`
      await typedApi(ours).call('changeTemplate', { path: { id }, body: definedOnly({ name, slug }) })
      return { status: 201, body: whole(await templateOf(id, ours)) }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:id',
    methods: [],
    async answer({ params }, ours) {
      const { id } = await templateOf(params.id, ours)
      await typedApi(ours).call('deleteTemplate', { path: { id } })
      return { status: 204 }
    },
  },
  {
    method: 'POST',
    path: '/v3/templates/:id/versions',
    methods: [],
    difference: `with \`active: 1\`, the default, it replaces the version that is sent, with \`active: 0\` the draft; \`plain_content\` is made from the HTML; \`test_data\` and \`editor\` have no effect; ${LANGUAGE}`,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: FIELDS,
    async answer({ params, body }, ours) {
      const { active, ...given } = parse(NewVersion, body)
      const template = await templateOf(params.id, ours)
      const version = await write(template, active === 1 ? ACTIVE : DRAFT, given, ours)
      return { status: 201, body: version }
    },
  },
  {
    method: 'GET',
    path: '/v3/templates/:id/versions/:version',
    methods: [],
    async answer({ params }, ours) {
      return { status: 200, body: versionOf(await templateOf(params.id, ours), params.version) }
    },
  },
  {
    method: 'PATCH',
    path: '/v3/templates/:id/versions/:version',
    methods: [],
    difference: `\`active: 1\` of the draft is \`activate\`; ${LANGUAGE}`,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: FIELDS,
    async answer({ params, body }, ours) {
      const given = parse(v.object({ ...NewVersion.entries, active: v.optional(v.picklist([0, 1])) }), body)
      const template = await templateOf(params.id, ours)
      const { id } = versionOf(template, params.version)
      const { active, ...texts } = given
      const written = await write(template, id, texts, ours)
      return { status: 200, body: active === 1 && id === DRAFT ? await activate(template.id, ours) : written }
    },
  },
  {
    method: 'POST',
    path: '/v3/templates/:id/versions/:version/activate',
    methods: [],
    async answer({ params }, ours) {
      const template = await templateOf(params.id, ours)
      const { id, ...version } = versionOf(template, params.version)
      return { status: 200, body: id === DRAFT ? await activate(template.id, ours) : { id, ...version } }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:id/versions/:version',
    methods: [],
    difference: 'of the draft alone: a template keeps the version that is sent',
    async answer({ params }, ours) {
      const template = await templateOf(params.id, ours)
      if (versionOf(template, params.version).id === ACTIVE) {
        throw new EngineError('CONFLICT', 'The version that is sent cannot be deleted: delete the template.')
      }
      await typedApi(ours).call('discardTemplateDraft', { path: { id: template.id } })
      return { status: 204 }
    },
  },
]

function templateOf(id: string | undefined, ours: OurApi): Promise<Template> {
  return typedApi(ours).call('getTemplate', { path: { id: id ?? '' } })
}

/** Writes the version that is sent, or the draft; what is not given stays. */
async function write(
  template: Template,
  which: string,
  given: Omit<v.InferOutput<typeof NewVersion>, 'active'>,
  ours: OurApi,
) {
  const { id, version, draft } = template
  const html = given.html_content === undefined ? undefined : toLiquid(given.html_content, 'html_content')
  const subject = given.subject === undefined ? undefined : toLiquid(given.subject, 'subject')
  const isFirst = template.body === EMPTY && html === undefined
  if (which === ACTIVE && isFirst) throw invalidField('html_content', 'required', 'is required')
  const fields = definedOnly({ subject, body: html })
  if (which === ACTIVE) {
    await typedApi(ours).call('changeTemplate', { path: { id }, body: fields })
  } else {
    const before = draft === undefined ? { version } : { ...draft.fields, version: draft.version }
    const body = { ...before, ...fields, revision: draft?.revision ?? null }
    await typedApi(ours).call('saveTemplateDraft', { path: { id }, body })
  }
  return versionOf(await templateOf(id, ours), which)
}

async function activate(id: string, ours: OurApi) {
  await typedApi(ours).call('publishTemplate', { path: { id }, body: {} })
  return activeOf(await templateOf(id, ours))
}

/** A version of a template. Throws EngineError `RESOURCE_NOT_FOUND`. */
function versionOf(template: Template, id: string | undefined) {
  const found = versionsOf(template).find((version) => version.id === id)
  if (found !== undefined) return found
  throw new EngineError('RESOURCE_NOT_FOUND', `The template has no version ${id}; its versions are active and draft.`)
}

function versionsOf(template: Template) {
  const { draft, body } = template
  const sent = body === EMPTY ? [] : [activeOf(template)]
  if (draft === undefined) return sent
  const { subject = template.subject, body: html = body } = draft.fields
  return [...sent, { ...activeOf(template), id: DRAFT, active: 0, subject, html_content: html }]
}

function activeOf({ id, slug, name, subject, body, updatedAt }: Omit<Template, 'draft'>) {
  return {
    id: ACTIVE,
    template_id: slug ?? id,
    active: 1,
    name,
    subject,
    html_content: body,
    plain_content: '',
    generate_plain_content: true,
    editor: 'code',
    updated_at: timeOf(updatedAt),
  }
}

function whole(template: Template) {
  return shown(template, versionsOf(template))
}

function shown({ id, slug, name, updatedAt }: Omit<Template, 'draft'>, versions: readonly object[]) {
  return { id: slug ?? id, name, generation: 'dynamic', updated_at: timeOf(updatedAt), versions }
}

/** As SendGrid writes times: `2026-01-31 09:00:00`. */
function timeOf(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}
