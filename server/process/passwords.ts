import { createInterface } from 'node:readline'
import { invalidField } from '../../core/errors.ts'

/**
 * A password that a person types, which is not shown, else the first line of the standard input. Throws EngineError
 * `VALIDATION_ERROR` for none.
 */
export async function givenPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await typedPassword() : await firstLine()
  if (password === '')
    throw invalidField('password', 'required', 'is missing: it is the first line of the standard input')
  return password
}

async function typedPassword(): Promise<string> {
  const { Questions } = await import('./terminal.ts')
  const questions = new Questions()
  try {
    return (await questions.ask('Password, which is not shown: ', 'nothing')) ?? ''
  } finally {
    questions.close()
  }
}

/** The first line of the standard input; empty when there is none. */
async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}
