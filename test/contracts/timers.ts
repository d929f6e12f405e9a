import { expect, vi } from 'vitest'

/** How many timers keep this process running. */
export function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
}

/** Waits until no more timers keep this process running than before, but for a few that are not the plugin's. */
export async function ended(before: number): Promise<void> {
  // the suite's own and those of a server that was closed come and go; a plugin's stay
  await vi.waitFor(() => expect(activeTimers(), 'timers that keep the process running').toBeLessThan(before + 3), {
    timeout: 3000,
    interval: 20,
  })
}
