import { createInterface } from 'node:readline'

/** A password that a person types, which is not shown. */
export async function typedPassword(): Promise<string> {
  const { Questions } = await import('./terminal.ts')
  const questions = new Questions()
  try {
    return (await questions.ask('Password, which is not shown: ', 'nothing')) ?? ''
  } finally {
    questions.close()
  }
}

/** The first line of the standard input; empty when there is none. */
export async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}
