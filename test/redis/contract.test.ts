import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import type { Queue } from '../../core/ports/queue.ts'
import { redisQueue } from '../../plugins/queue-redis/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { sharedRedis } from '../support/redis.ts'

let server: Awaited<ReturnType<typeof sharedRedis>>

beforeAll(async () => {
  server = await sharedRedis()
})
afterAll(() => server.stop())

describe('the Redis queue', () => {
  queueContract(async () => {
    const prefix = `mailwright-test-${randomBytes(6).toString('hex')}`
    const opened: Queue[] = []
    const open = async () => {
      const { queue } = await redisQueue({ url: server.url, prefix }).open({
        log: silentLog,
        clock: { now: () => new Date() },
      })
      opened.push(queue)
      return queue
    }
    return {
      queue: await open(),
      other: open,
      close: async () => void (await Promise.all(opened.map((queue) => queue.stop()))),
    }
  })
})
