import { EngineError } from '../errors.ts'
import type { EventListeners } from '../events/event-listeners.ts'
import type { WaitingWork } from '../ports/store/operations.ts'
import type { Store } from '../ports/store/store.ts'
import { pause } from '../values/pause.ts'
import { type WaitOptions, waitFor } from '../values/wait.ts'
import { LATE, within } from '../values/within.ts'
import { TOPICS } from '../work/doorbell.ts'
import type { Rooms } from './make-rooms.ts'

/** The pause between two looks, in milliseconds: each one longer than the last by `MORE_MS`. */
const MORE_MS = 5
const MAX_PAUSE_MS = 250
/** How long counting what waits may take, in milliseconds. */
const COUNT_MS = 2_000

/** The names of the kinds of work, by topic. */
const NAMES: Readonly<Record<string, string>> = {
  [TOPICS.mail]: 'e-mails',
  [TOPICS.fanOut]: 'campaigns whose mails are being written',
  [TOPICS.skipCampaign]: 'cancelled campaigns',
  [TOPICS.contactJobs]: 'jobs of contacts',
  [TOPICS.segments]: 'segments',
  [TOPICS.dispatch]: 'events',
  [TOPICS.workflows]: 'workflow steps',
  [TOPICS.webhooks]: 'webhooks',
  [TOPICS.inbound]: 'received mails',
  [TOPICS.requests]: 'e-mails sent by SQL',
}

const TOPIC_OF: Readonly<Record<WaitingWork, string>> = {
  transactional: TOPICS.mail,
  workflow: TOPICS.mail,
  campaign: TOPICS.mail,
  webhooks: TOPICS.webhooks,
  executions: TOPICS.workflows,
  contactJobs: TOPICS.contactJobs,
  inbound: TOPICS.inbound,
  requests: TOPICS.requests,
}

/** Works everything off that is due, and knows what is left. */
export class Idle {
  constructor(
    private readonly rooms: Pick<Rooms, 'loops' | 'campaigns' | 'mailWork'>,
    private readonly store: Store,
    private readonly listeners: EventListeners,
    private readonly now: () => Date,
  ) {}

  /** See `Engine.idle`. `stopping` ends it, too. */
  async wait(options: WaitOptions, stopping: AbortSignal): Promise<void> {
    const done = await waitFor(options, (ends) => this.#workOff(ends), stopping)
    if ('answer' in done) return
    if (stopping.aborted) throw new EngineError('CONFLICT', 'The engine was stopped before everything was done.')
    const waiting = await this.#waiting()
    throw new EngineError('SERVICE_UNAVAILABLE', `After ${done.timeoutMs} ms these still wait: ${waiting}.`, {
      suggestion: 'Wait longer (timeoutMs), or see why in the log of the engine.',
      isTold: true,
    })
  }

  /** How many e-mails are due and not sent, those of paused campaigns aside; 0 when it takes too long to count. */
  async dueMail(): Promise<number> {
    const next = await Promise.all(this.rooms.mailWork.works().map((work) => work.next?.()))
    if (!next.some((at) => at && at <= this.now())) return 0
    return (await this.#due()).get(TOPICS.mail) ?? 0
  }

  /** Returns when a look at everything has found nothing to do. */
  async #workOff(ends: AbortSignal): Promise<void> {
    for (let ms = 0; !ends.aborted; ms = Math.min(ms + MORE_MS, MAX_PAUSE_MS)) {
      // campaigns that are to start or that are done: both make work for the loops
      for (const task of this.rooms.campaigns.tasks()) await task.run(ends)
      const wasBusy = await this.rooms.loops.workOff()
      const given = this.listeners.given
      await given
      if (!wasBusy && !given && !(await this.#isElsewhere())) return
      await pause(ms, ends)
    }
  }

  /** Whether another process has claimed work. */
  async #isElsewhere(): Promise<boolean> {
    const claims = await this.store.workers?.claims(this.now())
    return claims !== undefined && claims.mails.length + claims.others.length > 0
  }

  async #waiting(): Promise<string> {
    const due = await this.#due()
    const underWay = this.rooms.loops.underWay()
    const parts = Object.entries(NAMES).flatMap(([topic, name]) => {
      const [waits, runs] = [due.get(topic) ?? 0, underWay.get(topic) ?? 0]
      // of mail what is under way is counted apart
      const count = topic === TOPICS.mail ? waits + runs : Math.max(waits, runs)
      return count > 0 ? [`${count} ${name}`] : []
    })
    if (this.listeners.given) parts.push('listeners that have not taken all events')
    return parts.length > 0 ? parts.join(', ') : 'work of other processes, or work that came just now'
  }

  async #due(): Promise<ReadonlyMap<string, number>> {
    const depths = await within(COUNT_MS, this.store.operations.queues(this.now()))
    const counts = new Map<string, number>()
    if (depths === LATE) return counts
    for (const { queue, due } of depths) counts.set(TOPIC_OF[queue], (counts.get(TOPIC_OF[queue]) ?? 0) + due)
    return counts
  }
}
