import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Topic, TopicChoice } from '../ports/store/topics.ts'
import { EVENTS } from '../values/event-names.ts'
import { type NewId, stamp } from '../values/id.ts'
import type { SubscriptionReason } from '../values/subscription-reason.ts'

/** A topic, and what a contact has to do with it. */
export interface ContactTopic {
  /** The topic. */
  readonly topic: Topic
  /** The contact's choice; undefined when the standing decides. */
  readonly choice: TopicChoice | undefined
  /** Whether the contact gets the topic's mail, as long as it is subscribed at all. */
  readonly subscribed: boolean
}

/** Each topic with the contact's choice. */
export function topicsOf(topics: readonly Topic[], choices: readonly TopicChoice[]): readonly ContactTopic[] {
  const chosen = new Map(choices.map((choice) => [choice.topicId, choice]))
  return topics.map((topic) => {
    const choice = chosen.get(topic.id)
    return { topic, choice, subscribed: choice?.subscribed ?? topic.standing === 'in' }
  })
}

/** A contact's wish for a topic; null takes the choice back. */
export interface WantedChoice extends Pick<TopicChoice, 'at' | 'source' | 'text'> {
  readonly topic: Topic
  readonly subscribed: boolean | null
}

/** The rows that are written when a contact chooses. */
export interface ChoiceWrites {
  readonly choices: readonly TopicChoice[]
  readonly undone: readonly Pick<TopicChoice, 'contactId' | 'topicId'>[]
  readonly events: readonly EventRecord[]
}

/**
 * The rows that a contact's wishes write, with an event for each topic whose mail it gets from now on or no longer
 * gets. Pure. A choice that is made once more writes nothing, so that its first proof stays, unless the new one has
 * words.
 */
export function choiceWrites(
  { id: contactId, projectId }: Pick<Contact, 'id' | 'projectId'>,
  before: readonly TopicChoice[],
  wanted: readonly WantedChoice[],
  reason: SubscriptionReason,
  newId: NewId,
): ChoiceWrites {
  const choices: TopicChoice[] = []
  const undone: { contactId: string; topicId: string }[] = []
  const events: EventRecord[] = []
  const known = topicsOf(
    wanted.map(({ topic }) => topic),
    before,
  )
  for (const [i, { topic, subscribed, at, source, text }] of wanted.entries()) {
    const { choice, subscribed: had } = known[i] ?? { choice: undefined, subscribed: false }
    const topicId = topic.id
    if (subscribed === null) {
      if (choice) undone.push({ contactId, topicId })
    } else if (choice?.subscribed !== subscribed || text !== undefined) {
      choices.push({ contactId, topicId, projectId, subscribed, at, source, ...(text === undefined ? {} : { text }) })
    }
    const gets = subscribed ?? topic.standing === 'in'
    if (gets !== had) events.push(topicEvent(newId, { id: contactId, projectId }, topic, gets, reason))
  }
  return { choices, undone, events }
}

/** The event of a contact that gets a topic's mail from now on, or no longer does. */
function topicEvent(
  newId: NewId,
  { id: contactId, projectId }: Pick<Contact, 'id' | 'projectId'>,
  { id: topicId, slug: topic }: Topic,
  subscribed: boolean,
  reason: SubscriptionReason,
): EventRecord {
  return {
    ...stamp(newId),
    projectId,
    name: subscribed ? EVENTS.subscribed : EVENTS.unsubscribed,
    contactId,
    data: { subscribed, reason, topicId, topic },
  }
}
