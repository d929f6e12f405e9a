import { answerQuestions, type Handed } from '../work/answer-questions.ts'
import { prepareMessage } from './prepare-message.ts'
import type { PrepareQuestion } from './prepared-message.ts'

/* The thread in which submitted messages are made ready: whatever one is made of, it keeps nobody else waiting. */

answerQuestions((question: PrepareQuestion): Handed => {
  const answer = prepareMessage(question)
  return { answer, transfer: [answer.bytes.buffer] }
})
