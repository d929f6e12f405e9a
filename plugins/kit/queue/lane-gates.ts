import PQueue from 'p-queue'
import { LANES, type Lane } from '../../../core/ports/queue.ts'

/**
 * Lets runs through, the higher lane first, and keeps runners free for the higher lanes.
 *
 * The gates stand one behind the other, one for each lane, and a run passes its own and all before it: with 20 runners
 * the campaign gate lets 16 through, the workflow gate 18 (campaign runs included), the transactional gate all 20. So
 * however slow the handlers of the lower lanes are, a transactional run finds a runner. The reserve is a tenth of the
 * runners for each step, at least one; with a single runner there is none.
 */
export class LaneGates {
  readonly #gates: readonly PQueue[]

  constructor(concurrency: number) {
    const reserve = Math.max(1, Math.floor(concurrency / 10))
    this.#gates = LANES.map((_, step) => new PQueue({ concurrency: Math.max(1, concurrency - step * reserve) }))
  }

  /** Calls `run`, at once when there is room, else in its turn. It must not reject. */
  enter(lane: Lane, run: () => Promise<void>): void {
    void this.#enterGates(LANES.indexOf(lane), LANES.length - LANES.indexOf(lane), run)
  }

  /** Answers when no run is under way and none waits. */
  async idle(): Promise<void> {
    // From the outermost gate inwards: what has left one is in the next.
    for (const gate of this.#gates.toReversed()) await gate.onIdle()
  }

  #enterGates(step: number, priority: number, run: () => Promise<void>): Promise<void> {
    const gate = this.#gates[step]
    if (gate === undefined) return run()
    return gate.add(() => this.#enterGates(step - 1, priority, run), { priority })
  }
}
