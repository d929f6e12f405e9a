import { answerQuestions, type Handed } from '../work/answer-questions.ts'
import { prepareMessage } from './prepare-message.ts'
import type { PrepareQuestion } from './prepared-message.ts'

/** The worker thread that prepares submitted messages, so that a message that takes long holds up nothing else. */

answerQuestions((question: PrepareQuestion): Handed => {
  const answer = prepareMessage(question)
  return { answer, transfer: [answer.bytes.buffer] }
})
