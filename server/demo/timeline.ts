import type { Clock } from '../../core/ports/clock.ts'

/** How much faster than the real one the clock goes between two leaps, so that what happens side by side is spread. */
const SPEED = 20

/** A clock that is led through the past. It never goes back. */
export class LedClock implements Clock {
  #at: number
  #since = performance.now()

  constructor(start: Date) {
    this.#at = start.getTime()
  }

  now(): Date {
    return new Date(Math.floor(this.#at + (performance.now() - this.#since) * SPEED))
  }

  /** Leaps to a time, unless it is later already. */
  leap(to: number): void {
    this.#at = Math.max(to, this.now().getTime())
    this.#since = performance.now()
  }
}

interface Entry {
  readonly at: number
  readonly act: () => Promise<void>
}

/** Things to happen, by their time: a binary heap, since each may bring more. */
export class Timeline {
  readonly #heap: Entry[] = []

  constructor(private readonly end: number) {}

  /** Adds something; what would be after the end is left out. */
  add(at: number, act: () => Promise<void>): void {
    if (at > this.end) return
    const heap = this.#heap
    let place = heap.push({ at, act }) - 1
    while (place > 0 && this.#isBefore(place, (place - 1) >> 1)) place = this.#swap(place, (place - 1) >> 1)
  }

  /** The earliest, which is taken out. */
  next(): Entry | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      const child = right < heap.length && this.#isBefore(right, left) ? right : left
      if (child >= heap.length || !this.#isBefore(child, place)) return first
      place = this.#swap(place, child)
    }
  }

  #isBefore(one: number, other: number): boolean {
    return (this.#heap[one]?.at ?? 0) < (this.#heap[other]?.at ?? 0)
  }

  /** Answers the second place. */
  #swap(one: number, other: number): number {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (a && b) {
      this.#heap[one] = b
      this.#heap[other] = a
    }
    return other
  }
}
