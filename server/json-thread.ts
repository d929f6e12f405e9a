import { answerQuestions } from '../core/work/answer-questions.ts'
import { readJsonText } from './json-text.ts'

/* The thread of `JsonBodies`: reads the JSON of a large body. */

answerQuestions((bytes: Uint8Array) => {
  return { answer: readJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) }
})
