import PQueue from 'p-queue'

/** Limits how much of each project runs at the same time, so that a waiting project holds up no other. */
export class ProjectLanes {
  readonly #lanes = new Map<string, PQueue>()

  constructor(private readonly concurrency: number) {}

  /** Runs the work when the project has room; answers and throws what it does. */
  async run<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(projectId) ?? new PQueue({ concurrency: this.concurrency })
    this.#lanes.set(projectId, lane)
    try {
      return await lane.add(work)
    } finally {
      if (lane.size === 0 && lane.pending === 0 && this.#lanes.get(projectId) === lane) this.#lanes.delete(projectId)
    }
  }
}
