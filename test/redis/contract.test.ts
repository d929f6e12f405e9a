import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import type { Queue } from '../../core/ports/queue.ts'
import { redisQueue } from '../../plugins/queue-redis/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { sharedRedis } from '../support/redis.ts'

let server: Awaited<ReturnType<typeof sharedRedis>>
let client: Redis

beforeAll(async () => {
  server = await sharedRedis()
  client = new Redis(server.url)
})
afterAll(async () => {
  client.disconnect()
  await server.stop()
})

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
      async close() {
        await Promise.all(opened.map((queue) => queue.stop()))
        const keys = await client.keys(`${prefix}*`)
        if (keys.length > 0) await client.del(...keys)
      },
    }
  })
})
