import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import type { Json } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { numberIn } from '../kit/number-in.ts'
import { rowsOf } from '../kit/rows-of.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

type Template = Answer<'listTemplates'>['data'][number]

/** The last place of the list that is read. */
const MAX_PLACE = 1000

const optionalText = v.nullish(v.string())
const texts = {
  Subject: optionalText,
  HtmlBody: optionalText,
  TextBody: optionalText,
  TemplateType: v.nullish(v.picklist(['Standard', 'Layout'])),
  LayoutTemplate: optionalText,
}
const NewTemplate = v.object({ ...texts, Name: v.string(), Alias: optionalText })
const Changes = v.object({ ...texts, Name: optionalText, Alias: v.optional(v.nullable(v.string())) })
const Validation = v.object({
  ...texts,
  TestRenderModel: v.nullish(
    v.record(
      v.string(),
      v.custom<Json>((value) => value !== undefined),
    ),
  ),
})

const FIELDS = { name: 'Name', subject: 'Subject', body: 'HtmlBody', slug: 'Alias' }
const DIFFERS =
  'its texts are in [the language of this server](templates.md), in which `{{ name }}` is the same and sections are not; the plain text is made from `HtmlBody`, so that `TextBody` has no effect; layouts are refused: they are made in the dashboard; `TemplateId` is a text'

/** Templates: those of transactional mail here, named by their id or their alias. */
export const templates: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/templates',
    methods: ['getTemplates'],
    difference: `\`count\` and \`offset\` together are at most ${MAX_PLACE.toLocaleString('en')}; \`TemplateId\` is a text; there are no layouts among them`,
    async answer({ query }, ours) {
      const asked = new URLSearchParams(
        [...query].map(([name, value]): [string, string] => [name.toLowerCase(), value]),
      )
      const count = numberIn(asked, 'count', { usual: 100, least: 1, most: 500 })
      const offset = numberIn(asked, 'offset', { usual: 0, most: MAX_PLACE })
      if (count + offset > MAX_PLACE) throw invalidField('offset', 'too_big', `and count must be at most ${MAX_PLACE}`)
      if (asked.get('templatetype') === 'Layout') return { status: 200, body: { TotalCount: 0, Templates: [] } }
      const { rows, total } = await rowsOf(
        (page) => typedApi(ours).call('listTemplates', { query: { ...page, type: 'TRANSACTIONAL' } }),
        { most: offset + count, counts: () => true },
      )
      return { status: 200, body: { TotalCount: total, Templates: rows.slice(offset).map(listed) } }
    },
  },
  {
    method: 'POST',
    path: '/templates/validate',
    methods: ['validateTemplate'],
    difference: 'by the rules of [the language of this server](templates.md); `SuggestedTemplateModel` is empty',
    body: 'json',
    async answer({ body }, ours) {
      const given = parse(Validation, body)
      const [subject, html] = await Promise.all([section(ours, given, 'subject'), section(ours, given, 'html')])
      const text = { ContentIsValid: true, ValidationErrors: [], RenderedContent: html.text }
      const { text: _, ...HtmlBody } = html
      const { text: __, ...Subject } = subject
      const AllContentIsValid = HtmlBody.ContentIsValid && Subject.ContentIsValid
      return {
        status: 200,
        body: { AllContentIsValid, HtmlBody, TextBody: text, Subject, SuggestedTemplateModel: {} },
      }
    },
  },
  {
    method: 'GET',
    path: '/templates/:id',
    methods: ['getTemplate'],
    difference: '`TextBody` is null: it is made from the HTML; `TemplateId` is a text',
    async answer({ params: { id = '' } }, ours) {
      const template = await typedApi(ours).call('getTemplate', { path: { id } })
      const { subject, body } = template
      return { status: 200, body: { ...listed(template), Subject: subject, HtmlBody: body, TextBody: null } }
    },
  },
  {
    method: 'POST',
    path: '/templates',
    methods: ['createTemplate'],
    difference: DIFFERS,
    body: 'json',
    fields: FIELDS,
    async answer({ body }, ours) {
      const given = parse(NewTemplate, body)
      requireStandard(given)
      const { Name: name, Subject: subject, HtmlBody: html, Alias: slug } = given
      if (!subject) throw invalidField('Subject', 'required', 'is required')
      if (!html) throw invalidField('HtmlBody', 'required', 'is required')
      const made = await typedApi(ours).call('createTemplate', {
        body: { name, subject, body: html, type: 'TRANSACTIONAL', ...(slug ? { slug } : {}) },
      })
      return { status: 200, body: listed(made) }
    },
  },
  {
    method: 'PUT',
    path: '/templates/:id',
    methods: ['editTemplate'],
    difference: DIFFERS,
    body: 'json',
    fields: FIELDS,
    async answer({ params, body }, ours) {
      const given = parse(Changes, body)
      requireStandard(given)
      const { id } = await typedApi(ours).call('getTemplate', { path: { id: params.id ?? '' } })
      const { Name: name, Subject: subject, HtmlBody: html, Alias: slug } = given
      const changes = {
        ...(name == null ? {} : { name }),
        ...(subject == null ? {} : { subject }),
        ...(html == null ? {} : { body: html }),
        ...(slug === undefined ? {} : { slug }),
      }
      return { status: 200, body: listed(await typedApi(ours).call('changeTemplate', { path: { id }, body: changes })) }
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    methods: ['deleteTemplate'],
    async answer({ params }, ours) {
      const { id } = await typedApi(ours).call('getTemplate', { path: { id: params.id ?? '' } })
      await typedApi(ours).call('deleteTemplate', { path: { id } })
      return { status: 200, body: { ErrorCode: 0, Message: `Template ${id} removed.` } }
    },
  },
]

function requireStandard({ TemplateType, LayoutTemplate }: v.InferOutput<typeof Changes>): void {
  const field = TemplateType === 'Layout' ? 'TemplateType' : LayoutTemplate ? 'LayoutTemplate' : undefined
  if (field) throw invalidField(field, 'custom', 'is not possible here: layouts are made in the dashboard')
}

function listed({ id, name, slug }: Pick<Template, 'id' | 'name' | 'slug'>) {
  return {
    TemplateType: 'Standard',
    TemplateId: id,
    Name: name,
    Alias: slug ?? null,
    Active: true,
    AssociatedServerId: 0,
    LayoutTemplate: null,
  }
}

/** Whether a text is right, and how it is filled in. */
async function section(ours: OurApi, given: v.InferOutput<typeof Validation>, which: 'subject' | 'html') {
  // each is checked beside a text that is right
  const wanted =
    which === 'subject' ? { subject: given.Subject ?? '', body: 'x' } : { subject: 'x', body: given.HtmlBody ?? '' }
  try {
    const rendered = await typedApi(ours).call('renderTemplate', {
      body: { ...wanted, data: given.TestRenderModel ?? {} },
    })
    return { ContentIsValid: true, ValidationErrors: [], RenderedContent: rendered[which], text: rendered.text }
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
    const problems = error.fields.map(({ message }) => message)
    const ValidationErrors = (problems.length > 0 ? problems : [error.message]).map((Message) => ({
      Message,
      Line: null,
      CharacterPosition: null,
    }))
    return { ContentIsValid: false, ValidationErrors, RenderedContent: null, text: null }
  }
}
