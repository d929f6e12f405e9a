import { describe, expect, it } from 'vitest'
// holds it to its contract, as the test that a new plugin begins with
import '../../examples/plugin-tests/queue.ts'
import { redisQueue } from '../../examples/redis-queue.ts'

describe('the example of a queue', () => {
  it('is refused without a client', () => {
    expect(redisQueue({ client: {} } as never).problems()).toMatchObject([{ field: 'client' }])
  })
})
