import { definePlugin, EngineError, type Lane, type Wake } from 'mailwright'
import * as v from 'valibot'

/** The commands that this needs from a client for Redis 6.2 or later; an instance of `ioredis` will do. */
interface Redis {
  zadd(key: string, mode: 'LT', score: number, member: string): Promise<unknown>
  zrangebyscore(key: string, min: number, max: number): Promise<string[]>
  zrem(key: string, member: string): Promise<number>
}
const isRedis = (given: unknown): given is Redis => typeof given === 'object' && given !== null && 'zadd' in given

/**
 * How short a queue can be: a sorted set in Redis, of topics and lanes by the time of their earliest ring, looked at every 100 ms.
 * Our tests hold it to the contract with a set in memory. To use Redis, take the built-in queue `redis`, which wakes at once.
 */
export const sortedSetQueue = definePlugin({
  name: 'queue-sorted-set',
  provides: ['queue'],
  options: v.strictObject({ client: v.custom<Redis>(isRedis, 'must be a client of Redis') }),
  open({ client }, { clock, log }) {
    const wakes = new Map<string, Wake>()
    const running = new Map<string, Promise<void>>()
    let isStopped = false
    const check = async () => {
      if (isStopped) throw new Error('queue: it has been stopped')
      await client.zrangebyscore('bells', 0, 0)
    }
    const ring = async (topic: string, lane: Lane, at: number) =>
      void (await client.zadd('bells', 'LT', at, `${lane} ${topic}`))
    const answer = async (topic: string, lane: Lane, wake: Wake) => {
      await wake(topic, lane).catch((error: unknown) => {
        log.warn('queue: looking for work failed; it is tried again', { topic, lane, error })
        return ring(topic, lane, clock.now().getTime() + 1000).catch(() => {})
      })
      running.delete(`${lane} ${topic}`)
    }
    const look = async () => {
      for (const bell of await client.zrangebyscore('bells', 0, clock.now().getTime())) {
        const [lane, topic] = bell.split(' ') as [Lane, string]
        const wake = wakes.get(topic)
        // the process that removes it owns it; while its wake still runs here, it is left to other processes
        if (!wake || running.has(bell) || isStopped || (await client.zrem('bells', bell)) === 0) continue
        running.set(bell, answer(topic, lane, wake))
      }
    }
    const timer = setInterval(() => void look().catch((error) => log.debug('queue: no look', { error })), 100).unref()
    return {
      queue: {
        exclusive: false,
        check,
        async ring(topic, { lane = 'workflow', at } = {}) {
          await check()
          await ring(topic, lane, (at ?? clock.now()).getTime())
        },
        async listen(topics, wake) {
          await check()
          const taken = topics.find((topic) => wakes.has(topic))
          if (taken !== undefined) throw new EngineError('CONFLICT', `queue: ${taken} is listened to already`)
          for (const topic of topics) wakes.set(topic, wake)
        },
        async stop() {
          isStopped = true
          clearInterval(timer)
          await Promise.all(running.values())
        },
      },
    }
  },
})
