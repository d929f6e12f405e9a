import type { Words } from './words.ts'

/** Snippets and layouts. */
export const contentWords: Words = {
  schemas: {
    Snippet: 'A piece of HTML that bodies render by its name.',
    Layout: 'A frame around the bodies of many mails.',
    ContentUses: 'Where a snippet or a layout is used.',
  },
  fields: {
    'Snippet.id': 'The id of the snippet.',
    'Layout.id': 'The id of the layout.',
    name: "What bodies render it by, as in `{% render 'footer' %}`: lower-case letters, digits and single hyphens, at most 64 characters. No other snippet has it, and it stays while something renders it.",
    'Layout.name': 'The name in lists, at most 255 characters. Recipients do not see it.',
    'createLayout.name': 'The name in lists, at most 255 characters. Recipients do not see it.',
    'changeLayout.name': 'The name in lists, at most 255 characters. Recipients do not see it.',
    description: 'A note for the team. In a request, null removes it.',
    body: 'The HTML, with placeholders, at most 100,000 characters. It may render other snippets.',
    'Layout.body':
      "The HTML, with placeholders and snippets, and once with `{{ content }}`, where the mail's own body stands.",
    'createLayout.body':
      "The HTML, with placeholders and snippets, at most 100,000 characters, and once with `{{ content }}`, where the mail's own body stands.",
    'changeLayout.body':
      "The HTML, with placeholders and snippets, at most 100,000 characters, and once with `{{ content }}`, where the mail's own body stands.",
    search: 'Only those with this in their name or description.',
    limit: 'Another name of `pageSize`.',
    snippets: 'The snippets of this page. The same list is under `data`, as in every other list.',
    'ContentUses.snippets': 'The snippets that render it.',
    layouts: 'The layouts of this page. The same list is under `data`, as in every other list.',
    'ContentUses.layouts': 'The layouts that render it.',
    data: 'Those of this page, as in every other list.',
    templates: 'The templates with it.',
    campaigns: 'The campaigns with it. Those that ended without being sent are left out.',
    workflows: 'The workflow steps with it in a body of their own.',
  },
}
