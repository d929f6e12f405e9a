import { CheckMailRequest } from '../../core/checks/check-request.ts'
import { authorOf } from '../../core/projects/caller.ts'
import { ChangeTemplate, CreateTemplate, ListTemplates, RenderTemplate } from '../../core/templates/template.ts'
import { CopyRequest } from '../../core/values/copy-name.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import {
  CheckedMailRecord,
  DraftAnswer,
  RenderedTemplate,
  TemplateAnswer,
  templateInList,
} from '../answers/templates.ts'
import { TemplateUsesAnswer } from '../answers/uses.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** A project's reusable mails. */
export const templateRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/templates',
    operation: 'listTemplates',
    summary: 'List templates',
    description: 'Newest first, by page or by cursor. `type` and `search` narrow the list.',
    access: 'secret',
    takes: { query: ListTemplates },
    gives: { 200: numberedList('templates', TemplateAnswer.schema) },
    examples: [{ query: { type: 'TRANSACTIONAL', search: 'welcome', pageSize: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(numbered('templates', await engine.templates.list(caller.project, query), templateInList))
    },
  },
  {
    method: 'POST',
    path: '/templates',
    operation: 'createTemplate',
    summary: 'Create a template',
    description:
      'Its placeholders must be valid; otherwise the error says where the problem is. Without a `slug`, one is made from the name: `welcome`, else `welcome-2` and so on.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateTemplate },
    gives: { 201: TemplateAnswer.schema },
    examples: [
      {
        body: {
          name: 'Welcome',
          subject: 'Welcome, {{ name ?? there }}',
          body: '<p>Good to have you here, {{ name ?? friend }}.</p>',
          type: 'TRANSACTIONAL',
          from: 'Ada <hello@example.com>',
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created(TemplateAnswer.of(await engine.templates.create(caller.project, body, authorOf(caller))))
    },
  },
  {
    method: 'POST',
    path: '/templates/render',
    operation: 'renderTemplate',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Render a subject and a body',
    description: 'Fills in the placeholders, for a preview. Nothing is stored or sent.',
    access: 'secret',
    area: 'read',
    body: 'json',
    takes: { body: RenderTemplate },
    gives: { 200: RenderedTemplate },
    examples: [{ body: { subject: 'Hi {{ name }}', body: '<p>Hi {{ name }}</p>', data: { name: 'Ada' } } }],
    async handle(engine, { caller, body }) {
      return ok(await engine.templates.render(caller.project, body))
    },
  },
  {
    method: 'POST',
    path: '/templates/check',
    operation: 'checkMail',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Check a mail',
    description:
      'Composes the mail as sending would, and returns what should be improved: its size, pictures, links, variables, the unsubscribe link, and what mail programs cannot show. `findings` is empty if there are no problems. The addresses of at most 50 links and pictures are requested, at most 10 times a minute. This may take 15 seconds; `links: false` skips it. Nothing is stored and nothing is sent.',
    access: 'secret',
    area: 'read',
    body: 'json',
    takes: { body: CheckMailRequest },
    gives: { 200: CheckedMailRecord },
    examples: [
      {
        body: {
          type: 'MARKETING',
          subject: 'News for {{ name ?? you }}',
          body: '<p>Hi, <a href="https://example.com/news">read on</a>. <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>',
          links: false,
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return ok(await engine.checks.mail(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id',
    operation: 'getTemplate',
    summary: 'Get a template',
    description: 'Shows what is sent, and its `draft` if it has one. The path may have its slug instead of its id.',
    access: 'secret',
    gives: { 200: TemplateAnswer.schema },
    async handle(engine, request) {
      const { project } = request.caller
      const template = await engine.templates.get(project, request.param('id'))
      const draft = await engine.templates.draft(project, template.id)
      return versioned({ ...TemplateAnswer.of(template), draft: draft && DraftAnswer.of(draft) })
    },
  },
  {
    method: 'PATCH',
    path: '/templates/:id',
    operation: 'changeTemplate',
    summary: 'Change a template',
    description:
      'The change takes effect at once, without a draft; only the fields in the request change. The slug does not change with the name. Mail that was accepted before keeps the earlier text.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeTemplate },
    gives: { 200: TemplateAnswer.schema },
    examples: [{ body: { subject: 'Welcome aboard' } }],
    async handle(engine, request) {
      const { caller, body } = request
      const changed = await engine.templates.change(caller.project, request.param('id'), body, authorOf(caller))
      return versioned(TemplateAnswer.of(changed))
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    operation: 'deleteTemplate',
    summary: 'Delete a template',
    description: '409 while a workflow uses it. Mail that was sent from it stays on record.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.templates.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/duplicate',
    operation: 'duplicateTemplate',
    summary: 'Copy a template',
    description: 'The copy has a slug made from its name.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: CopyRequest },
    gives: { 201: TemplateAnswer.schema },
    examples: [{ body: { name: 'Welcome, short' } }],
    async handle(engine, request) {
      const { caller, body } = request
      const by = authorOf(caller)
      return created(TemplateAnswer.of(await engine.templates.duplicate(caller.project, request.param('id'), body, by)))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id/usage',
    operation: 'getTemplateUsage',
    summary: 'Find where a template is used',
    description: 'Lists the campaigns and workflows that use it, and counts its mails.',
    access: 'secret',
    gives: { 200: TemplateUsesAnswer.schema },
    async handle(engine, request) {
      return ok(TemplateUsesAnswer.of(await engine.templates.usage(request.caller.project, request.param('id'))))
    },
  },
]
