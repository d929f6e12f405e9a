import PQueue from 'p-queue'
import { LANES, type Lane } from '../../../core/ports/queue.ts'

/**
 * Lets runs through, higher lanes first, and keeps runners free for the higher lanes.
 *
 * There is a gate for each lane, one behind the other, and a run passes its own and all before it. With 20 runners the
 * campaign gate lets 16 through, the workflow gate 18 (campaign runs included), the transactional gate all 20. So a
 * transactional run finds a runner however slow the handlers of the lower lanes are. Each step reserves a tenth of the
 * runners, at least one; with a single runner there is no reserve.
 */
export class LaneGates {
  readonly #gates: readonly PQueue[]

  constructor(concurrency: number) {
    const reserve = Math.max(1, Math.floor(concurrency / 10))
    this.#gates = LANES.map((_, step) => new PQueue({ concurrency: Math.max(1, concurrency - step * reserve) }))
  }

  /** Calls `run`, at once when there is room, or else in its turn. It must not reject. */
  enter(lane: Lane, run: () => Promise<void>): void {
    void this.#enterGates(LANES.indexOf(lane), LANES.length - LANES.indexOf(lane), run)
  }

  /** Answers when no run is under way or waiting. */
  async idle(): Promise<void> {
    // From the outermost gate inwards, since what has left one is in the next.
    for (const gate of this.#gates.toReversed()) await gate.onIdle()
  }

  #enterGates(step: number, priority: number, run: () => Promise<void>): Promise<void> {
    const gate = this.#gates[step]
    if (gate === undefined) return run()
    return gate.add(() => this.#enterGates(step - 1, priority, run), { priority })
  }
}
