import { createInterface } from 'node:readline'
import { loadConfig } from '../config/index.ts'
import { createEngine } from '../core/engine.ts'
import { EngineError } from '../core/errors.ts'

/**
 * Makes a user, or gives the one there a new password, which is the first line of the standard input: arguments of a
 * process are seen by others. Answers the exit code. Where only one process can use the database, the server must be
 * stopped.
 */
export async function user(config: string | undefined, email: string): Promise<number> {
  const { engine: settings } = await loadConfig({ path: config })
  if (process.stdin.isTTY) process.stderr.write('Password (it is shown): ')
  const password = await firstLine()
  const engine = await createEngine(settings)
  try {
    const { id, email: address } = await engine.accounts.make({ email, password })
    process.stdout.write(`${address} can log in with this password; user ${id}.\n`)
    return 0
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
    for (const { field, message } of error.fields) process.stderr.write(`${field}: ${message}\n`)
    return 1
  } finally {
    await engine.stop()
  }
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}
