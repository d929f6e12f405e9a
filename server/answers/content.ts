import { Layout } from '../../core/ports/store/layouts.ts'
import { answerOf } from './answer-of.ts'

export const LayoutAnswer = answerOf(Layout)
