/**
 * The result of the work, or a rejection as soon as the signal is aborted: with `why`, by default the signal's reason. A
 * failure after that is ignored.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, why?: Error): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(why ?? signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
