import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { COMPILE_CACHE, MAIN } from './server-process.ts'

/** Runs `bring-over` of the compiled product. Answers its exit code, and the lines that it told but the progress. */
export async function runBringOver(args: readonly string[], given: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...given }
  const started = promisify(execFile)(process.execPath, [MAIN, 'bring-over', ...args], { env, maxBuffer: 1e8 })
  const { stdout, stderr, code } = await started.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
  // the progress tells of times
  const told = stderr.split('\n').filter((line) => line !== '' && !line.includes('contacts/s'))
  return { code, stdout, told }
}
