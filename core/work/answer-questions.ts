import { parentPort, type Transferable } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import type { ThreadAnswer, ThreadProblem } from './thread.ts'

/** An answer, and the parts of it that are transferred instead of copied. */
export interface Handed {
  readonly answer: unknown
  readonly transfer?: readonly Transferable[]
}

/** The inside of a `Thread`: answers its requests in order, until it is ended. */
export function answerQuestions<Question>(work: (question: Question) => Handed | Promise<Handed>): void {
  // one at a time: the next one comes when this one is answered
  parentPort?.on('message', async (question: Question) => {
    try {
      const { answer, transfer = [] } = await work(question)
      parentPort?.postMessage({ answer } satisfies ThreadAnswer, transfer)
    } catch (error) {
      parentPort?.postMessage({ problem: problemOf(error) } satisfies ThreadAnswer)
    }
  })
}

/** The part of an error that can be passed to another thread. */
export function problemOf(error: unknown): ThreadProblem {
  if (!(error instanceof Error)) return { message: String(error) }
  if (!EngineError.is(error)) return { message: error.stack ?? error.message }
  const { code, message, fields, suggestion } = error
  return { message, refusal: { code, fields, suggestion } }
}
