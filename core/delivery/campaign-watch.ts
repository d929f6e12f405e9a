import { inject, injectable } from '../di.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How long a read of a campaign counts; after it the next mail reads again. */
const FRESH_MS = 200
/** A read may take this much longer; a slower one is repeated, up to `ROUNDS` times. */
const SLACK_MS = 50
const ROUNDS = 3
const KEPT = 1_000

interface Read {
  readonly since: number
  readonly campaign: Promise<Campaign | undefined>
}

/**
 * Tells whether campaigns are SENDING before their mails are handed over; the mails of many slots share one read. After
 * a change of a campaign's status, `changed` waits until no code acts on the old status any more.
 */
@injectable()
export class CampaignWatch {
  readonly #reads = new Map<string, Read>()

  constructor(@inject(Store) private readonly store: Store) {}

  /** The campaign if it is SENDING. Throws what the store throws. */
  async sending(projectId: ProjectId, id: string): Promise<Campaign | undefined> {
    const campaign = await this.seen(projectId, id)
    return campaign?.status === 'SENDING' ? campaign : undefined
  }

  /** Forgets what was read: the next mail of the campaign reads again. */
  forget(id: string): void {
    this.#reads.delete(id)
  }

  /** Call it after the commit: answers when no process acts on the old status any more. */
  async changed(id: string): Promise<void> {
    this.forget(id)
    if (this.store.exclusive) return
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS + 2 * SLACK_MS))
  }

  /**
   * The campaign, whose `updatedAt` is when it was started or last resumed, or its audience was written, whichever is
   * latest. Throws what the store throws.
   */
  async seen(projectId: ProjectId, id: string): Promise<Campaign | undefined> {
    for (let round = 1; ; round++) {
      const read = this.#read(projectId, id)
      const campaign = await read.campaign
      if (this.#reads.get(id) !== read) continue
      // a database this slow also holds up those who change the status
      if (performance.now() - read.since < FRESH_MS + SLACK_MS || round === ROUNDS) return campaign
      this.#reads.delete(id)
    }
  }

  #read(projectId: ProjectId, id: string): Read {
    const known = this.#reads.get(id)
    if (known && performance.now() - known.since < FRESH_MS) return known
    if (this.#reads.size >= KEPT) this.#reads.clear()
    const read = { since: performance.now(), campaign: this.store.campaigns.find(projectId, id) }
    this.#reads.set(id, read)
    return read
  }
}
