import type { Kit } from '../kit.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { Campaign, FanOut } from '../ports/store/campaigns.ts'
import type { Store } from '../ports/store/store.ts'

/**
 * Counts, beside its fan-out, how many mails a campaign to a large audience is to have: written as they are sent, they would
 * otherwise seem to be nearly all sent from the beginning to the end.
 */
export class ExpectedMails {
  #counting: Promise<void> | undefined
  #count: number | undefined

  constructor(
    private readonly store: Store,
    private readonly campaign: Campaign,
    private readonly audience: Audience,
    private readonly kit: Kit,
  ) {}

  /** The progress with the number, once it is known; not before the rest of the audience is written behind a test. */
  in(at: FanOut): FanOut {
    if (at.expected !== undefined || (at.phase !== undefined && at.phase !== 'rest')) return at
    this.#counting ??= this.#look()
    return this.#count === undefined ? at : { ...at, expected: this.#count }
  }

  /** Answers when it does not count any more. Never rejects. */
  async ended(): Promise<void> {
    await this.#counting
  }

  async #look(): Promise<void> {
    const { projectId, id, audienceType, topicId } = this.campaign
    try {
      // all who are subscribed are counted already; to look at each of them would take a thread and its memory
      this.#count =
        audienceType === 'ALL' && topicId === undefined
          ? await this.store.contacts.count(projectId, { subscribed: true })
          : (await this.store.campaignMails.countAudience(projectId, this.audience, this.kit.now(), { topicId }))
              .mailable
    } catch (error) {
      this.kit.log.debug('could not count an audience', { campaign: id, error })
    }
  }
}
