import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until `condition` answers something truthy, and answers that. Asks every few milliseconds.
 * Throws after `withinMs` milliseconds (default 5000), naming what was waited for; errors of `condition` pass through.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 5000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await condition()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await pause(5)
  }
}
