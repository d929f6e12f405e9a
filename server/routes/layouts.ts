import { ChangeLayout, CreateLayout } from '../../core/templates/layout.ts'
import { ListContent } from '../../core/templates/snippet.ts'
import { LayoutAnswer, ListedLayoutAnswer } from '../answers/content.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import { ContentUsesAnswer } from '../answers/uses.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** A project's layouts. */
export const layoutRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/layouts',
    operation: 'listLayouts',
    summary: 'List layouts',
    description: 'Newest first, by page or by cursor. `search` narrows the list.',
    access: 'secret',
    takes: { query: ListContent },
    gives: { 200: numberedList('layouts', ListedLayoutAnswer.schema) },
    examples: [{ query: { search: 'brand', pageSize: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(numbered('layouts', await engine.templates.layouts.list(caller.project, query), ListedLayoutAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/layouts',
    operation: 'createLayout',
    summary: 'Create a layout',
    description:
      'Templates and campaigns name it with `layoutId`. Their own body replaces `{{ content }}`; of a whole document only the content of its `<body>`, with the style sheets of its head.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateLayout },
    gives: { 201: LayoutAnswer.schema },
    examples: [
      { body: { name: 'Brand', body: '<html><body><h1>Acme</h1>{{ content }}<p>Acme, Berlin</p></body></html>' } },
    ],
    async handle(engine, { caller, body }) {
      return created(LayoutAnswer.of(await engine.templates.layouts.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/layouts/:id',
    operation: 'getLayout',
    summary: 'Get a layout',
    description: 'Shows its body.',
    access: 'secret',
    gives: { 200: LayoutAnswer.schema },
    async handle(engine, request) {
      return versioned(LayoutAnswer.of(await engine.templates.layouts.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/layouts/:id',
    operation: 'changeLayout',
    summary: 'Change a layout',
    description: 'Accepted mail, and campaigns that have started, keep the earlier frame.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeLayout },
    gives: { 200: LayoutAnswer.schema },
    examples: [{ body: { name: 'Brand 2026' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return versioned(
        LayoutAnswer.of(await engine.templates.layouts.change(caller.project, request.param('id'), body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/layouts/:id',
    operation: 'deleteLayout',
    summary: 'Delete a layout',
    description: '409 while a template or an unsent campaign uses it.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.templates.layouts.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/layouts/:id/usage',
    operation: 'getLayoutUsage',
    summary: 'Find where a layout is used',
    description: 'Lists the templates and campaigns that use it.',
    access: 'secret',
    gives: { 200: ContentUsesAnswer.schema },
    async handle(engine, request) {
      const uses = await engine.templates.layouts.usage(request.caller.project, request.param('id'))
      return ok(ContentUsesAnswer.of(uses))
    },
  },
]
