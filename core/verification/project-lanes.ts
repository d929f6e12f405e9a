import PQueue from 'p-queue'

/** Lets each project have so much under way at the same time; what one project waits for holds up no other. */
export class ProjectLanes {
  readonly #lanes = new Map<string, PQueue>()

  constructor(private readonly concurrency: number) {}

  /** Runs the work when the project has room. */
  async run(projectId: string, work: () => Promise<void>): Promise<void> {
    const lane = this.#lanes.get(projectId) ?? new PQueue({ concurrency: this.concurrency })
    this.#lanes.set(projectId, lane)
    await lane.add(work)
    if (lane.size === 0 && lane.pending === 0 && this.#lanes.get(projectId) === lane) this.#lanes.delete(projectId)
  }
}
