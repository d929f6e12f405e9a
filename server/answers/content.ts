import { Layout } from '../../core/ports/store/layouts.ts'
import { Snippet } from '../../core/ports/store/snippets.ts'
import { record } from '../../core/values/record.ts'
import { answerOf } from './answer.ts'

export const LayoutAnswer = answerOf(Layout)

export const SnippetAnswer = answerOf(Snippet)

/** A drawing may be as large as its body, so that lists leave it out. */
const { design: _layout, ...ofLayout } = Layout.fields
const { design: _snippet, ...ofSnippet } = Snippet.fields

export const ListedLayoutAnswer = answerOf(record('ListedLayout', 'A layout without its drawing.', ofLayout))

export const ListedSnippetAnswer = answerOf(record('ListedSnippet', 'A snippet without its drawing.', ofSnippet))
