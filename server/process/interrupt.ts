/** The exit codes a shell expects after these signals. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Runs work that a signal may end early: the first SIGINT or SIGTERM aborts `signal`, and the second ends the process at
 * once. `exitCode` answers that of the signal that came, or 0.
 */
export async function interruptible<T>(work: (signal: AbortSignal, exitCode: () => number) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  let exitCode = 0
  const signalled = (signal: keyof typeof SIGNALS) => {
    exitCode = SIGNALS[signal]
    forget()
    stop.abort()
  }
  const forget = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, signalled)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, signalled)
  try {
    return await work(stop.signal, () => exitCode)
  } finally {
    forget()
  }
}
