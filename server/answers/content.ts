import { Layout } from '../../core/ports/store/layouts.ts'
import { Snippet } from '../../core/ports/store/snippets.ts'
import { answerOf } from './answer-of.ts'

export const LayoutAnswer = answerOf(Layout)

export const SnippetAnswer = answerOf(Snippet)
