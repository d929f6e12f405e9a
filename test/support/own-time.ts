/**
 * How many milliseconds of the processor this thread has used since the answered function was made: what a busy machine adds
 * to the time on the clock is not counted.
 */
export function ownTime(): () => number {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const begun = used()
  return () => used() - begun
}
