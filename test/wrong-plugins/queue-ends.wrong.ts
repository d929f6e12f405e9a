import type { Queue } from '../../core/ports/queue.ts'
import { queueContract } from '../contracts/queue.ts'
import { polled, polling } from './polling-queue.ts'
import { right, wrong } from './wrong.ts'

right(() => polled({}, 8000))
wrong('forgets what is rung for later while it wakes', 'for later that comes while it is answered', () =>
  polled({ losesLater: true }),
)
wrong('begins to listen before it refuses', 'who then listens to none of the others', () =>
  polled({ keepsListening: true }),
)
wrong('keeps its timers when it is stopped', 'leaves no timer', () => polled({ keepsTimers: true }))
wrong('tries again after it was stopped', 'ends the tries of a wake that fails', () => polled({ goesOn: true }))
wrong('waits only for the first stop', 'waits for them each time', () => polled({ stopsOnce: true }))
wrong('reads its topics from its keys', 'whatever its name', () => polled({ splitsNames: true }))
wrong('reads the message of what is no error', 'of a wake is followed by another try', () =>
  polled({ breaksOnNothing: true }),
)
wrong('keeps the times of later rings in the process that rang', 'rang for later that is gone', () =>
  queueContract(
    async () => {
      const { queue, close } = shared()
      return { queue: queue(), other: async () => queue(), close }
    },
    { withinMs: 1500 },
  ),
)

/** Queues of several processes that share what is rung for now, and keep what is rung for later. */
function shared() {
  const inner = polling({})
  const stops: (() => Promise<void>)[] = []
  const queue = (): Queue => {
    let isStopped = false
    const timers: NodeJS.Timeout[] = []
    const open = () => {
      if (isStopped) throw new Error('stopped')
    }
    const stop = async () => {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
    }
    stops.push(stop)
    return {
      exclusive: false,
      check: async () => open(),
      async ring(topic, about = {}) {
        open()
        const { at, lane = 'workflow' } = about
        if (at === undefined) return inner.ring(topic, { lane })
        const wait = Math.min(Math.max(at.getTime() - Date.now(), 0), 2 ** 31 - 1)
        timers.push(setTimeout(() => void inner.ring(topic, { lane }), wait))
      },
      async listen(topics, wake) {
        open()
        await inner.listen(topics, wake)
      },
      stop,
    }
  }
  return { queue, close: async () => void (await Promise.all([...stops.map((stop) => stop()), inner.stop()])) }
}
