import { readCommand } from './command-line.ts'
import { startProblem } from './start-problem.ts'

/** EX_USAGE of sysexits.h. */
const USAGE_EXIT = 64

/** Runs the command line, prints what it says or why it failed, and answers the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const asked = readCommand(args)
  switch (asked.kind) {
    case 'answer':
      process.stdout.write(asked.text)
      return 0
    case 'misused':
      process.stderr.write(`${asked.problem}\n`)
      return USAGE_EXIT
    case 'run':
      return asked.run().catch((error: unknown) => {
        const { text, exitCode } = startProblem(error)
        process.stderr.write(`${text}\n`)
        return exitCode
      })
  }
}
