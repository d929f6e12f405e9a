import { LONGEST_TIMER_MS } from './longest-timer.ts'

/** The answer of `within` for work that takes longer. */
export const LATE = Symbol('late')

/** The result of the work, or LATE when it takes longer. A failure after that is ignored. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS), LATE)
    timer.unref()
  })
  // race handles it when it comes in time
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
