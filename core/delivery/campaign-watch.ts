import { inject, injectable } from '../di.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

/** What was seen of a campaign counts for so long; then it is looked at again before the next mail. */
const FRESH_MS = 200
/** A look may take so much longer; after that it is taken again, some times. */
const SLACK_MS = 50
const ROUNDS = 3
const KEPT = 1_000

interface Look {
  readonly since: number
  readonly campaign: Promise<Campaign | undefined>
}

/**
 * Whether campaigns are SENDING, for whoever is about to hand over a mail of one: the mails of many slots share a look.
 * Who has changed a campaign's state calls `changed`, and knows then that nobody acts on what he saw before.
 */
@injectable()
export class CampaignWatch {
  readonly #looks = new Map<string, Look>()

  constructor(@inject(Store) private readonly store: Store) {}

  /** Throws what the store throws. */
  async isSending(projectId: ProjectId, id: string): Promise<boolean> {
    return (await this.#seen(projectId, id))?.status === 'SENDING'
  }

  /** When it was started or last resumed, or its audience was written, whichever was last. Throws what the store throws. */
  async sendingSince(projectId: ProjectId, id: string): Promise<Date | undefined> {
    return (await this.#seen(projectId, id))?.updatedAt
  }

  /** Forgets what was seen: the next mail of the campaign looks again. */
  forget(id: string): void {
    this.#looks.delete(id)
  }

  /** To be called after the commit: answers when no process goes by the state there was before. */
  async changed(id: string): Promise<void> {
    this.forget(id)
    if (this.store.exclusive) return
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS + 2 * SLACK_MS))
  }

  async #seen(projectId: ProjectId, id: string): Promise<Campaign | undefined> {
    for (let round = 1; ; round++) {
      const look = this.#look(projectId, id)
      const campaign = await look.campaign
      if (this.#looks.get(id) !== look) continue
      // a database that slow holds up whoever changes the state, too
      if (performance.now() - look.since < FRESH_MS + SLACK_MS || round === ROUNDS) return campaign
      this.#looks.delete(id)
    }
  }

  #look(projectId: ProjectId, id: string): Look {
    const known = this.#looks.get(id)
    if (known && performance.now() - known.since < FRESH_MS) return known
    if (this.#looks.size >= KEPT) this.#looks.clear()
    const look = { since: performance.now(), campaign: this.store.campaigns.find(projectId, id) }
    this.#looks.set(id, look)
    return look
  }
}
