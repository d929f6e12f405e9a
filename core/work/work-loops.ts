import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { LONGEST_TIMER_MS } from '../values/longest-timer.ts'
import { AloneWork } from './alone-work.ts'
import { Doorbell } from './doorbell.ts'
import { Leases } from './leases.ts'
import type { Work } from './work.ts'
import { WorkLoop } from './work-loop.ts'

/** All background work of this process. */
@injectable()
export class WorkLoops {
  readonly #abort = new AbortController()
  #loops: readonly WorkLoop[] = []
  #alone: AloneWork | undefined

  constructor(
    @inject(Queue) private readonly queue: Queue,
    @inject(Leases) private readonly leases: Leases,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Begins with this work, and looks at once for what waits. After `stopping` no more is claimed. */
  async start(works: readonly Work[], stopping: AbortSignal): Promise<void> {
    const ends = { stopping, signal: this.#abort.signal }
    this.#loops = works.map((work) => new WorkLoop(work, ends, this.leases, this.doorbell, this.kit))
    this.#alone = new AloneWork(works, ends, this.leases, this.kit)
    const byBell = Map.groupBy(this.#loops, ({ work: { topic, lane } }) => `${topic} ${lane}`)
    const topics = [...new Set(works.map(({ topic }) => topic))]
    await this.queue.listen(topics, async (topic, lane) => {
      await Promise.all((byBell.get(`${topic} ${lane}`) ?? []).map((loop) => loop.wake()))
    })
    this.look()
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'work', cron: '* * * * * *', run: () => this.tick() }]
  }

  /** Every second: looks for what has fallen due since it was rung for, and for what no bell rang for. */
  async tick(): Promise<void> {
    for (const loop of this.#loops) void loop.lookIfDue()
    this.#alone?.look()
  }

  /** Every few seconds, and at start: also looks for work whose lease has run out. With a topic only for its work. */
  look(topic?: string): void {
    for (const loop of this.#loops) if (topic === undefined || loop.work.topic === topic) loop.look()
  }

  /** Works everything off that is due now; answers whether there was anything to do, see `WorkLoop.workOff`. */
  async workOff(): Promise<boolean> {
    const busy = await Promise.all(this.#loops.map((loop) => loop.workOff()))
    return busy.includes(true)
  }

  /** How many items of each topic are under way in this process. */
  underWay(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { work, underWay } of this.#loops) {
      if (underWay > 0) counts.set(work.topic, (counts.get(work.topic) ?? 0) + underWay)
    }
    return counts
  }

  /** Throws when claims of some work have failed for a while: nothing of it is done, whatever else answers. */
  check(): void {
    for (const { work, trouble } of this.#loops) {
      if (trouble === undefined) continue
      const why = trouble instanceof Error ? trouble.message : String(trouble)
      throw new Error(`work cannot be claimed (${work.topic}): ${why}`, { cause: trouble })
    }
  }

  /** Call it after `stopping`: aborts what still runs after `graceMs`, and answers when everything has ended. */
  async stop(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abort.abort(), Math.min(graceMs, LONGEST_TIMER_MS))
    try {
      await this.queue.stop()
    } finally {
      await Promise.all(this.#loops.map((loop) => loop.ended()))
      await this.#alone?.ended()
      clearTimeout(timer)
    }
  }
}
