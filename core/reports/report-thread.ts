import { answerQuestions } from '../work/answer-questions.ts'
import { readFigures } from './read-figures.ts'
import { readReport } from './read-report.ts'
import type { FiguresQuestion, ReportQuestion } from './report.ts'

/** The worker thread that reads reports: they come from strangers, and unpack to many times their size. */

answerQuestions(async (question: ReportQuestion | FiguresQuestion) => ({
  answer: await ('today' in question ? readFigures(question) : readReport(question.bytes)),
}))
