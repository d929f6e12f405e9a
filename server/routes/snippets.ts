import { ChangeSnippet, CreateSnippet, ListContent } from '../../core/templates/snippet.ts'
import { ListedSnippetAnswer, SnippetAnswer } from '../answers/content.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import { ContentUsesAnswer } from '../answers/uses.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** A project's snippets. */
export const snippetRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/snippets',
    operation: 'listSnippets',
    summary: 'List snippets',
    description: 'Newest first, by page or by cursor. `search` narrows the list.',
    access: 'secret',
    takes: { query: ListContent },
    gives: { 200: numberedList('snippets', ListedSnippetAnswer.schema) },
    examples: [{ query: { search: 'footer', pageSize: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(
        numbered('snippets', await engine.templates.snippets.list(caller.project, query), ListedSnippetAnswer.of),
      )
    },
  },
  {
    method: 'POST',
    path: '/snippets',
    operation: 'createSnippet',
    summary: 'Create a snippet',
    description:
      "Bodies render it with `{% render 'name' %}`, or pass it values: `{% render 'name', title: firstName %}`. Snippets can be nested, at most 5 deep and never in a circle.",
    access: 'secret',
    body: 'json',
    takes: { body: CreateSnippet },
    gives: { 201: SnippetAnswer.schema },
    examples: [
      {
        body: {
          name: 'legal-footer',
          body: '<p>Acme GmbH, Berlin. <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>',
          description: 'Below every newsletter',
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created(SnippetAnswer.of(await engine.templates.snippets.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/snippets/:id',
    operation: 'getSnippet',
    summary: 'Get a snippet',
    description: 'Shows its body.',
    access: 'secret',
    gives: { 200: SnippetAnswer.schema },
    async handle(engine, request) {
      return versioned(
        SnippetAnswer.of(await engine.templates.snippets.get(request.caller.project, request.param('id'))),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/snippets/:id',
    operation: 'changeSnippet',
    summary: 'Change a snippet',
    description:
      'Accepted mail, and campaigns that have started, keep the earlier text. Another `name` is refused with 409 while something renders the snippet, unless `rename` is true.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeSnippet },
    gives: { 200: SnippetAnswer.schema },
    examples: [{ body: { description: 'Below every mail' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return versioned(
        SnippetAnswer.of(await engine.templates.snippets.change(caller.project, request.param('id'), body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/snippets/:id',
    operation: 'deleteSnippet',
    summary: 'Delete a snippet',
    description: '409 while a template, an unsent campaign, another snippet, a layout or a workflow step renders it.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.templates.snippets.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/snippets/:id/usage',
    operation: 'getSnippetUsage',
    summary: 'Find where a snippet is used',
    description: 'Lists the templates, campaigns, snippets, layouts and workflow steps that render it.',
    access: 'secret',
    gives: { 200: ContentUsesAnswer.schema },
    async handle(engine, request) {
      const uses = await engine.templates.snippets.usage(request.caller.project, request.param('id'))
      return ok(ContentUsesAnswer.of(uses))
    },
  },
]
