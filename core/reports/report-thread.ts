import { answerQuestions } from '../work/answer-questions.ts'
import { readReport } from './read-report.ts'
import type { ReportQuestion } from './report.ts'

/** The worker thread that reads reports: they come from strangers, and unpack to many times their size. */

answerQuestions(async ({ bytes }: ReportQuestion) => ({ answer: await readReport(bytes) }))
