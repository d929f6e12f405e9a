/**
 * How much of a processor this thread has used, in milliseconds. Limits on work that comes from outside count this: by
 * the clock, a busy machine would refuse what is all right. Where the runtime does not report it (Node does since 23.9),
 * it is the time.
 */
export function processorTime(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
