import { LONGEST_TIMER_MS } from '../core/values/longest-timer.ts'
import { readCommand } from './process/command-line.ts'
import { startProblem } from './process/start-problem.ts'

/** EX_USAGE of sysexits.h. */
const USAGE_EXIT = 64

// a command ends when it is done: where nothing else kept the process, Node would end it in the middle, with 13
setInterval(() => {}, LONGEST_TIMER_MS)
process.exit(await main(process.argv.slice(2)))

/** Runs the command and answers the exit code. */
async function main(args: readonly string[]): Promise<number> {
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
