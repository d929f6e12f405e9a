import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks, at first and at most. The longer it takes, the rarer they get. */
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 100

/**
 * Waits until `condition` answers something truthy, and answers that. It asks every 5 ms at first, and later after a
 * twentieth of the time it has waited, at most 100 ms apart, since asking a server all the time only slows it down.
 * `everyMs` sets a fixed interval. Throws after `withinMs` milliseconds (default 30000), naming what was waited for;
 * errors of `condition` pass through.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 30_000,
  everyMs?: number,
): Promise<NonNullable<T>> {
  const start = performance.now()
  for (;;) {
    const answer = await condition()
    if (answer) return answer
    const waited = performance.now() - start
    if (waited > withinMs) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await pause(everyMs ?? Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waited / 20)))
  }
}
