import { afterAll, beforeAll, beforeEach } from 'vitest'

/**
 * Makes what the tests of a group share before them, and ends it after them. A test that is tried again, as CI does once,
 * gets it anew: what it stored the first time would be in its way.
 */
export function anewOnRetry(begin: () => Promise<void>, end: () => Promise<void>): void {
  let last = ''
  beforeAll(begin)
  afterAll(end)
  beforeEach(async ({ task: { id } }) => {
    if (id === last) {
      await end()
      await begin()
    }
    last = id
  })
}
