import { readJsonText } from '../../core/values/json-text.ts'
import { answerQuestions } from '../../core/work/answer-questions.ts'

/* The thread of `JsonBodies`: parses the JSON of a large body. */

answerQuestions((bytes: Uint8Array) => {
  return { answer: readJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) }
})
