import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { Form } from '../kit/form.ts'
import { numberIn } from '../kit/number-in.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { objectIn } from '../kit/values-once.ts'

type Template = Answer<'listTemplates'>['data'][number]

const PATH = '/v3/:domain/templates'
const LANGUAGE =
  'its texts are in [the language of this server](templates.md), in which `{{name}}` is the same and blocks are not; it is one of the project, whatever the domain in the path'

/** Templates by their names, which are slugs here, with the version that is published. */
export const templates: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: PATH,
    methods: ['domains.domainTemplates.list'],
    difference: 'those of transactional mail, of the project; there is no page before',
    async answer({ query, params, url }, ours) {
      const limit = numberIn(query, 'limit', { usual: 10, least: 1, most: 100 })
      const cursor = query.get('p')
      const page = await typedApi(ours).call('listTemplates', {
        query: { type: 'TRANSACTIONAL', limit: String(limit), ...(cursor ? { cursor } : {}) },
      })
      const first = `${url}/v3/${encodeURIComponent(params.domain ?? '')}/templates?limit=${limit}&page=first`
      const next =
        page.cursor === null ? first : `${first.replace('first', 'next')}&p=${encodeURIComponent(page.cursor)}`
      const paging = { first, next, previous: first, last: next }
      return { status: 200, body: { items: page.data.map(listed), paging } }
    },
  },
  {
    method: 'GET',
    path: `${PATH}/:name`,
    methods: ['domains.domainTemplates.get'],
    difference: 'its version is the published one',
    async answer({ params: { name = '' }, query }, ours) {
      const template = await typedApi(ours).call('getTemplate', { path: { id: name } })
      const version = query.get('active') === 'yes' ? { version: versionOf(template) } : {}
      return { status: 200, body: { template: { ...listed(template), ...version } } }
    },
  },
  {
    method: 'POST',
    path: PATH,
    methods: ['domains.domainTemplates.create'],
    difference: `the subject is that of \`headers\`, or else the name; \`tag\`, \`engine\` and \`comment\` have no effect; ${LANGUAGE}`,
    body: 'form',
    fields: { slug: 'name', body: 'template', subject: 'headers', from: 'headers', replyTo: 'headers' },
    async answer({ body }, ours) {
      const form = new Form(body)
      const [name, text] = [form.text('name'), form.text('template')]
      if (name === undefined) throw invalidField('name', 'required', 'is required')
      if (text === undefined) throw invalidField('template', 'required', 'is required')
      const { Subject, From, 'Reply-To': reply } = headersOf(form)
      const description = form.text('description')
      const made = await typedApi(ours).call('createTemplate', {
        body: {
          name,
          slug: name.toLowerCase(),
          subject: Subject ?? name,
          body: text,
          type: 'TRANSACTIONAL',
          ...(description === undefined ? {} : { description }),
          ...(From === undefined ? {} : { from: From }),
          ...(reply === undefined ? {} : { replyTo: reply }),
        },
      })
      const template = { ...listed(made), version: versionOf(made) }
      return { status: 200, body: { message: 'template has been stored', template } }
    },
  },
  {
    method: 'PUT',
    path: `${PATH}/:name`,
    methods: ['domains.domainTemplates.update'],
    body: 'form',
    async answer({ params: { name = '' }, body }, ours) {
      const { id } = await typedApi(ours).call('getTemplate', { path: { id: name } })
      const description = new Form(body).text('description') ?? null
      await typedApi(ours).call('changeTemplate', { path: { id }, body: { description } })
      return { status: 200, body: { message: 'template has been updated', template: { name } } }
    },
  },
  {
    method: 'DELETE',
    path: `${PATH}/:name`,
    methods: ['domains.domainTemplates.destroy'],
    async answer({ params: { name = '' } }, ours) {
      const { id } = await typedApi(ours).call('getTemplate', { path: { id: name } })
      await typedApi(ours).call('deleteTemplate', { path: { id } })
      return { status: 200, body: { message: 'template has been deleted', template: { name } } }
    },
  },
]

function headersOf(form: Form): Readonly<Record<'Subject' | 'From' | 'Reply-To', string | undefined>> {
  const text = form.text('headers')
  const given = text === undefined ? {} : objectIn(text)
  if (given === undefined) throw invalidField('headers', 'custom', 'is not valid JSON of an object')
  const of = (name: string) => {
    const value = given[name]
    if (value !== undefined && typeof value !== 'string') throw invalidField('headers', 'custom', 'must have texts')
    return value || undefined
  }
  return { Subject: of('Subject'), From: of('From'), 'Reply-To': of('Reply-To') }
}

function listed({ id, name, slug, description, createdAt }: Template) {
  return {
    id,
    name: slug ?? name,
    description: description ?? '',
    createdAt: new Date(createdAt).toUTCString(),
    createdBy: '',
  }
}

function versionOf({ id, subject, body, version, updatedAt }: Template) {
  return {
    id,
    tag: String(version),
    template: body,
    engine: 'handlebars',
    mjml: '',
    createdAt: new Date(updatedAt).toUTCString(),
    comment: '',
    active: true,
    headers: { Subject: subject },
  }
}
