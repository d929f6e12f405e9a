import { type Queue, silentLog, systemClock } from 'mailwright'
import { queueContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { sortedSetQueue } from '../redis-queue.ts'

/** The commands of Redis that the queue uses, over a set in this process; a client of a real one takes its place. */
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

describe('queue-sorted-set', () => {
  queueContract(async () => {
    const client = sortedSet()
    const opened: Queue[] = []
    const open = async () => {
      const { queue } = await sortedSetQueue({ client }).open({ log: silentLog, clock: systemClock })
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
