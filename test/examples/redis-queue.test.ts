import { describe, expect, it } from 'vitest'
// holds it to its contract, as the test that a new plugin begins with
import '../../examples/plugin-tests/queue.ts'
import { sortedSetQueue } from '../../examples/redis-queue.ts'

describe('the example of a queue', () => {
  it('is refused without a client', () => {
    expect(sortedSetQueue({ client: {} } as never).problems()).toMatchObject([{ field: 'client' }])
  })
})
