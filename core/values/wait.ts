import * as v from 'valibot'
import { LONGEST_TIMER_MS } from './longest-timer.ts'
import { parse } from './parse.ts'

/** How long to wait by default, in milliseconds. */
export const USUAL_WAIT_MS = 30_000

/** A time to wait, in milliseconds. */
export const WaitMs = v.pipe(v.number(), v.minValue(0), v.maxValue(LONGEST_TIMER_MS))

const Waiting = v.strictObject({
  timeoutMs: v.optional(WaitMs, USUAL_WAIT_MS),
  signal: v.optional(v.instance(AbortSignal, 'must be an AbortSignal')),
})

/** How long to wait. */
export interface WaitOptions {
  /** For how many milliseconds at most. Default 30,000. */
  readonly timeoutMs?: number
  /** Ends the waiting early: it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/**
 * Runs `work` for as long as the options allow, and answers what it answers; without an answer when the time was
 * over first, or `stopping` was aborted. Work that goes on then sees it by its signal. Throws
 * EngineError `VALIDATION_ERROR` for options it does not know, and the reason of the caller's signal.
 */
export async function waitFor<T>(
  options: WaitOptions,
  work: (ends: AbortSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<{ readonly answer: T } | { readonly timeoutMs: number }> {
  const { timeoutMs, signal } = parse(Waiting, options)
  const late = new AbortController()
  // a timer that keeps the process alive, unlike that of AbortSignal.timeout
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const ends = AbortSignal.any([late.signal, ...(stopping ? [stopping] : []), ...(signal ? [signal] : [])])
  const ended = Promise.withResolvers<{ readonly timeoutMs: number }>()
  const end = () => ended.resolve({ timeoutMs })
  ends.addEventListener('abort', end)
  if (ends.aborted) end()
  try {
    const result = await Promise.race([work(ends).then((answer) => ({ answer })), ended.promise])
    if (!('answer' in result)) signal?.throwIfAborted()
    return result
  } finally {
    clearTimeout(timer)
    ends.removeEventListener('abort', end)
    late.abort()
  }
}
