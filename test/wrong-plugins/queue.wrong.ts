import { LANES, type Lane, type Queue, type Ring, type Wake } from '../../core/ports/queue.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

/** The queue of one process, changed. */
const changed = (change: (queue: Queue) => Partial<Queue>, withinMs = 1500) =>
  queueContract(
    async () => {
      const { queue } = await inProcess().open(KIT)
      const same: Queue = {
        exclusive: true,
        ring: (topic, about) => queue.ring(topic, about),
        listen: (topics, wake) => queue.listen(topics, wake),
        check: () => queue.check(),
        stop: () => queue.stop(),
      }
      return { queue: Object.assign(same, change(queue)), close: () => queue.stop() }
    },
    { withinMs },
  )

right(() => changed(() => ({}), 8000))

/** A queue over a table of times, which looks for what is due every few milliseconds; it can go wrong in many ways. */
function polling(how: { readonly movesBack?: true; readonly drops?: true }) {
  const times = new Map<string, number>()
  const wakes = new Map<string, Wake>()
  const running = new Map<string, Promise<void>>()
  let isStopped = false
  const open = () => {
    if (isStopped) throw new Error('stopped')
  }
  const answer = async (bell: string, wake: Wake) => {
    const [lane, topic] = bell.split(' ') as [Lane, string]
    try {
      await wake(topic, lane)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 250))
      times.set(bell, 0)
    }
    running.delete(bell)
  }
  const look = () => {
    for (const [bell, at] of times) {
      const wake = wakes.get(bell.split(' ')[1] ?? '')
      if (at > Date.now() || running.has(bell) || isStopped) continue
      if (wake || how.drops) times.delete(bell)
      if (wake) running.set(bell, answer(bell, wake))
    }
  }
  const timer = setInterval(look, 5)
  const queue: Queue = {
    exclusive: true,
    check: async () => open(),
    async ring(topic, { lane = LANES[1], at }: Ring = {}) {
      open()
      const bell = `${lane} ${topic}`
      const wanted = at?.getTime() ?? 0
      times.set(bell, how.movesBack ? wanted : Math.min(wanted, times.get(bell) ?? wanted))
    },
    async listen(topics, wake) {
      open()
      if (topics.some((topic) => wakes.has(topic))) throw Object.assign(new Error('taken'), { code: 'CONFLICT' })
      for (const topic of topics) wakes.set(topic, wake)
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await Promise.all(running.values())
    },
  }
  return queue
}
const polled = (how: Parameters<typeof polling>[0], withinMs = 1500) =>
  queueContract(
    async () => {
      const queue = polling(how)
      return { queue, close: () => queue.stop() }
    },
    { withinMs },
  )

right(() => polled({}, 8000))
wrong('moves an earlier ring back', 'does not put off an earlier one for soon', () => polled({ movesBack: true }))
wrong('drops rings that nobody listens to', 'is kept for a topic that nobody listens to yet', () =>
  polled({ drops: true }),
)
wrong('forgets lanes', 'with its lane', () =>
  changed((queue) => ({ ring: (topic, about = {}) => queue.ring(topic, about.at ? { at: about.at } : {}) })),
)
wrong('rings after it has stopped', 'refuses rings', () =>
  changed((queue) => ({ ring: (topic, about) => queue.ring(topic, about).catch(() => {}) })),
)
