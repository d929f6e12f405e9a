import { describe, expect, it } from 'vitest'
import { type Queue, silentLog, systemClock } from '../../config/library.ts'
import { redisQueue } from '../../examples/redis-queue.ts'
import { queueContract } from '../contracts/index.ts'

/** The three commands of Redis that the example uses, over a set in this process. */
function sortedSet() {
  const scores = new Map<string, number>()
  return {
    zadd: async (_key: string, _lower: 'LT', score: number, member: string) =>
      void scores.set(member, Math.min(score, scores.get(member) ?? score)),
    zrangebyscore: async (_key: string, min: number, max: number) =>
      [...scores].filter(([, score]) => score >= min && score <= max).map(([member]) => member),
    zrem: async (_key: string, member: string) => Number(scores.delete(member)),
  }
}

describe('the example of a queue', () => {
  queueContract(async () => {
    const client = sortedSet()
    const opened: Queue[] = []
    const open = async () => {
      const { queue } = await redisQueue({ client }).open({ log: silentLog, clock: systemClock })
      opened.push(queue)
      return queue
    }
    return {
      queue: await open(),
      other: open,
      close: async () => void (await Promise.all(opened.map((queue) => queue.stop()))),
    }
  })

  it('is refused without a client', () => {
    expect(redisQueue({ client: {} } as never).problems()).toMatchObject([{ field: 'client' }])
  })
})
