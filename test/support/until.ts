import { setTimeout as pause } from 'node:timers/promises'

/** The first look comes again after so long, in milliseconds; what takes longer is asked for more rarely. */
const SHORTEST_MS = 5
const LONGEST_MS = 100

/**
 * Waits until `condition` answers something truthy, and answers that. Asks every 5 ms at first, later at twentieths of the
 * time it has waited, at most 100 ms apart: whoever asks a server all the time only slows it down. `everyMs` fixes the pace.
 * Throws after `withinMs` milliseconds (default 15000), naming what was waited for; errors of `condition` pass through.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 15_000,
  everyMs?: number,
): Promise<NonNullable<T>> {
  const start = performance.now()
  for (;;) {
    const answer = await condition()
    if (answer) return answer
    const waited = performance.now() - start
    if (waited > withinMs) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await pause(everyMs ?? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waited / 20)))
  }
}
