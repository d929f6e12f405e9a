import type { Log } from '../../core/ports/log.ts'
import { startProblem } from './start-problem.ts'

/**
 * Waits for a signal or a fatal error to end the process. A second one ends it at once. `commands/serve.ts` waits for it,
 * then calls `stop` of `running-server.ts`, which closes HTTP first and then the engine: `Life` in `core/engine.ts` has
 * the order.
 */
export class End {
  log: Log | undefined
  /**
   * The action of SIGHUP from now on. On a terminal it ends the process like SIGTERM, for it says that the terminal
   * closes.
   */
  onHangUp: (() => void) | undefined
  /** The exit code. */
  readonly come: Promise<number>

  constructor() {
    this.come = new Promise((resolve) => {
      let called = false
      const call = (exitCode: number) => {
        if (called) process.exit(1)
        called = true
        resolve(exitCode)
      }
      const hasTerminal = process.stdin.isTTY === true
      if (!hasTerminal) process.on('SIGHUP', () => this.onHangUp?.())
      for (const signal of ['SIGTERM', 'SIGINT', ...(hasTerminal ? (['SIGHUP'] as const) : [])] as const) {
        process.on(signal, () => {
          this.log?.info(`${signal}: finishing the current work; send it again to stop at once`)
          call(0)
        })
      }
      for (const fatal of ['uncaughtException', 'unhandledRejection'] as const) {
        process.on(fatal, (error: unknown) => {
          if (this.log) this.log.error('an unexpected error occurred; the process ends', { error })
          else process.stderr.write(`${startProblem(error).text}\n`)
          call(1)
        })
      }
    })
  }
}
