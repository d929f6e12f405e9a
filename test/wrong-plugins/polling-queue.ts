import { LANES, type Lane, type Queue, type Ring, type Wake } from '../../core/ports/queue.ts'
import { queueContract } from '../contracts/queue.ts'

/** A queue over a table of times, which looks for what is due every few milliseconds; it can go wrong in many ways. */
export interface How {
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
export function polling(how: How) {
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
/** The contract of that queue. */
export const polled = (how: How, withinMs = 1500) =>
  queueContract(
    async () => {
      const queue = polling(how)
      return { queue, close: () => queue.stop() }
    },
    { withinMs },
  )
