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
interface How {
  readonly movesBack?: true
  readonly drops?: true
  readonly losesLater?: true
  readonly keepsListening?: true
  readonly keepsTimers?: true
  readonly goesOn?: true
  readonly stopsOnce?: true
  readonly splitsNames?: true
  readonly breaksOnNothing?: true
}
function polling(how: How) {
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
    } catch (error) {
      if (how.breaksOnNothing) (error as Error).message.trim()
      await new Promise((resolve) => setTimeout(resolve, 250))
      times.set(bell, 0)
      if (how.goesOn && isStopped) void wake(topic, lane).catch(() => {})
    }
    if (how.losesLater) times.delete(bell)
    running.delete(bell)
  }
  const look = () => {
    for (const [bell, at] of times) {
      const wake = wakes.get(bell.split(' ')[1] ?? '')
      if (at > Date.now() || running.has(bell) || isStopped) continue
      if (wake || how.drops) times.delete(bell)
      if (wake)
        running.set(
          bell,
          answer(bell, wake).catch(() => {}),
        )
    }
  }
  const timer = setInterval(look, 5)
  const queue: Queue = {
    exclusive: true,
    check: async () => open(),
    async ring(topic, { lane = LANES[1], at }: Ring = {}) {
      open()
      const bell = `${lane} ${how.splitsNames ? topic.split(/\W/)[0] : topic}`
      const wanted = at?.getTime() ?? 0
      times.set(bell, how.movesBack ? wanted : Math.min(wanted, times.get(bell) ?? wanted))
    },
    async listen(topics, wake) {
      open()
      if (!how.keepsListening && topics.some((topic) => wakes.has(topic))) throw taken()
      for (const topic of topics) {
        if (wakes.has(topic)) throw taken()
        wakes.set(topic, wake)
      }
    },
    async stop() {
      if (isStopped && how.stopsOnce) return
      isStopped = true
      if (!how.keepsTimers) clearInterval(timer)
      if (!how.goesOn) await Promise.all(running.values())
    },
  }
  return queue
}
const taken = () => Object.assign(new Error('taken'), { code: 'CONFLICT' })
const polled = (how: How, withinMs = 1500) =>
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
wrong('claims to reach other processes', 'that does not call itself exclusive', () =>
  changed(() => ({ exclusive: false })),
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
