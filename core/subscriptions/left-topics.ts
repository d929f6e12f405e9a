import type { ClaimedEmail } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'

/** Who of the recipients of claimed mails does not get a topic. */
export class LeftTopics {
  readonly #asked = new WeakMap<readonly ClaimedEmail[], Map<string, Promise<ReadonlySet<string>>>>()

  constructor(private readonly store: Pick<Store, 'topics'>) {}

  /**
   * Whether the recipient of this mail of the claim does not get the topic. One question is asked for all mails of a
   * claim, when the first of them is about to be sent. Throws what the store throws.
   */
  async has({ projectId, contactId }: ClaimedEmail, topicId: string, claim: readonly ClaimedEmail[]): Promise<boolean> {
    const answers = this.#asked.get(claim) ?? new Map<string, Promise<ReadonlySet<string>>>()
    this.#asked.set(claim, answers)
    const key = `${projectId} ${topicId}`
    const recipients = () =>
      claim.flatMap((email) => (email.projectId === projectId && email.contactId ? email.contactId : []))
    const answer = answers.get(key) ?? this.store.topics.without(projectId, topicId, recipients())
    answers.set(key, answer)
    return (await answer).has(contactId ?? '')
  }
}
