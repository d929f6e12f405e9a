import { afterAll, beforeAll, beforeEach } from 'vitest'

/**
 * Makes what the tests of a group share before them, and ends it after them. A test that is tried again, as CI does once,
 * gets it anew: what it stored the first time would be in its way. Not one that runs beside others, which use it still.
 */
export function anewOnRetry(begin: () => Promise<void>, end: () => Promise<void> = async () => {}): void {
  beforeAll(begin)
  afterAll(end)
  beforeEach(async ({ task: { result, concurrent } }) => {
    if (!result?.retryCount || concurrent) return
    await end()
    await begin()
  })
}
