import * as v from 'valibot'
import type { Log } from '../ports/log.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Store } from '../ports/store/store.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { isFor, requireListenPattern } from './engine-events.ts'

/** How many events may wait for one listener; further ones are dropped. */
const MAX_WAITING = 10_000
/** How long a listener may keep the event loop at a time, in milliseconds. */
const MAX_BLOCKING_MS = 10

/** Called with every event that fits, one at a time; when it answers a promise the next one waits for that. */
export type EventListener = (event: EventRecord) => unknown

const Listener = v.object({
  listener: v.custom<EventListener>((given) => typeof given === 'function', 'must be a function'),
})

/**
 * Passes the events this process stores to functions in it. Storing them never waits: events queue in memory per
 * listener, and what a listener throws is logged. Nothing is stored: events that wait when the process ends, or that
 * come while too many wait, never reach the listener.
 */
export class EventListeners {
  readonly #lines = new Set<Line>()
  #stopListening: (() => void) | undefined

  constructor(
    private readonly store: Pick<Store, 'listen'>,
    private readonly log: Log,
  ) {}

  /** See `Engine.on`. */
  on(pattern: string, listener: EventListener): () => void {
    requireListenPattern(pattern)
    parse(Listener, { listener })
    const line = new Line(pattern, listener, this.log)
    this.#lines.add(line)
    this.#stopListening ??= this.store.listen((events) => {
      for (const each of this.#lines) each.take(events)
    })
    return () => this.#remove(line)
  }

  /** Whether events wait for a listener, and when those that wait now were given to it. */
  get given(): Promise<unknown> | undefined {
    const lines = [...this.#lines].flatMap((line) => line.given ?? [])
    return lines.length > 0 ? Promise.all(lines) : undefined
  }

  /** Answers when every waiting event was given to its listener, or after `withinMs`; then all listeners end. */
  async end(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs)
    })
    await Promise.race([Promise.all([...this.#lines].map((line) => line.given)), late])
    clearTimeout(timer)
    for (const line of this.#lines) this.#remove(line)
  }

  #remove(line: Line): void {
    line.stop()
    this.#lines.delete(line)
    if (this.#lines.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}

/** A listener with the events that wait for it. */
class Line {
  /** Set while events wait. */
  given: Promise<void> | undefined
  #waiting: EventRecord[] = []
  #left = 0
  #lost = 0
  #isStopped = false

  constructor(
    private readonly pattern: string,
    private readonly listener: EventListener,
    private readonly log: Log,
  ) {}

  take(events: readonly EventRecord[]): void {
    if (this.#isStopped) return
    for (const event of events) {
      if (!isFor(this.pattern, event)) continue
      if (this.#left + this.#waiting.length < MAX_WAITING) this.#waiting.push(event)
      else this.#countLost()
    }
    if (this.#waiting.length > 0) this.given ??= this.#deliver()
  }

  stop(): void {
    this.#isStopped = true
  }

  async #deliver(): Promise<void> {
    await yieldToLoop()
    let began = performance.now()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      for (const [i, event] of batch.entries()) {
        if (this.#isStopped) return
        this.#left = batch.length - i - 1
        await this.#call(event)
        if (performance.now() - began < MAX_BLOCKING_MS) continue
        await yieldToLoop()
        began = performance.now()
      }
    }
    this.given = undefined
    if (this.#lost === 0) return
    this.log.warn('a listener has caught up; it has missed events', {
      pattern: this.pattern,
      lost: this.#lost,
    })
    this.#lost = 0
  }

  async #call(event: EventRecord): Promise<void> {
    try {
      // a copy, so that what one listener does to it affects no other
      await this.listener(structuredClone(event))
    } catch (error) {
      const about = { pattern: this.pattern, event: event.name, eventId: event.id }
      this.log.error('a listener of events failed', { ...about, error })
    }
  }

  #countLost(): void {
    this.#lost++
    if (this.#lost > 1) return
    const about = { pattern: this.pattern, waiting: MAX_WAITING }
    this.log.warn('a listener is too slow: it misses events while so many are waiting', about)
  }
}
