import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { TopicChoice } from '../ports/store/topics.ts'
import type { FileTopics, RowTopics } from './csv-topics.ts'
import { choiceWrites, type WantedChoice } from './topic-choices.ts'

/** The topic choices in the rows of a batch, by contact; of two rows of a contact the later one counts. */
export class ImportedChoices {
  readonly #topics: FileTopics
  readonly #resubscribe: boolean
  readonly #wished = new Map<string, { readonly contact: Contact; readonly said: Map<string, RowWish> }>()

  /** Contacts that a column of a topic would bring back to it, which they left here. */
  readonly returning = new Set<string>()

  /** With `resubscribe`, the column of a topic brings back who has left it. */
  constructor(topics: FileTopics, resubscribe: boolean) {
    this.#topics = topics
    this.#resubscribe = resubscribe
  }

  /** Takes what a row says. A contact who is unsubscribed from everything gets no topic by being in a file. */
  add(contact: Contact, { said, listed, texts, consentText }: RowTopics, isIn: boolean): void {
    const { ofAll } = this.#topics
    const text = consentText ?? this.#topics.consentText
    if (said.size === 0 && listed.size === 0 && ofAll === undefined) return
    const wishes = this.#wished.get(contact.id)?.said ?? new Map<string, RowWish>()
    for (const id of isIn ? [...(ofAll === undefined ? [] : [ofAll]), ...listed] : []) {
      if (wishes.get(id) === undefined) wishes.set(id, { wish: 'listed', text: texts.get(id) ?? text })
    }
    // leaving is not agreeing to any words
    for (const [id, wish] of said) wishes.set(id, { wish, text: texts.get(id) ?? (wish ? text : undefined) })
    this.#wished.set(contact.id, { contact, said: wishes })
  }

  /**
   * Stores the choices inside the transaction that has locked or made the contacts, and answers the events of what
   * changed. Nothing brings back a contact who has left the topic here, unless the import says so.
   */
  async store(tx: Repositories, { newId }: Kit, now: Date): Promise<readonly EventRecord[]> {
    const all = [...this.#wished.values()]
    const [first] = all
    if (first === undefined) return []
    const known = new Map(this.#topics.known.map((topic) => [topic.id, topic]))
    const before = await tx.topics.choices(
      first.contact.projectId,
      all.map(({ contact }) => contact.id),
    )
    const earlier = Map.groupBy(before, ({ contactId }) => contactId)
    const choices: TopicChoice[] = []
    const events: EventRecord[] = []
    for (const { contact, said } of all) {
      const own = earlier.get(contact.id) ?? []
      const chosen = new Map(own.map((choice) => [choice.topicId, choice]))
      const wanted: WantedChoice[] = []
      for (const [id, { wish, text }] of said) {
        const topic = known.get(id)
        const choice = chosen.get(id)
        if (topic === undefined || (wish === 'listed' && choice)) continue
        if (wish === true && choice?.subscribed === false) {
          this.returning.add(contact.id)
          if (!this.#resubscribe) continue
        }
        // the same words once more are no new proof
        const words = text === undefined || choice?.text === text ? {} : { text }
        wanted.push({ topic, subscribed: wish !== false, at: now, source: 'import', ...words })
      }
      const written = choiceWrites(contact, own, wanted, 'import', newId)
      choices.push(...written.choices)
      events.push(...written.events)
    }
    await tx.topics.choose(choices)
    return events
  }
}

/** The choice of one topic in a row. */
type Wish = boolean | 'listed'
interface RowWish {
  readonly wish: Wish
  readonly text: string | undefined
}
