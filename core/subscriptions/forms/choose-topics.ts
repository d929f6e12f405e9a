import { choiceWrites, topicsOf, type WantedChoice } from '../../contacts/topic-choices.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import type { FormSubmission } from '../../ports/store/forms.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { Topic } from '../../ports/store/topics.ts'
import type { NewId } from '../../values/id.ts'

/**
 * Stores the topics that were ticked in these submissions, the newest first, inside the transaction that subscribes their
 * contact; answers the events of what changes. A box that was left empty takes nothing back that was chosen before: it
 * counts only where the mail would come without a choice.
 */
export async function chooseTopics(
  tx: Repositories,
  contact: Contact,
  submissions: readonly FormSubmission[],
  newId: NewId,
): Promise<readonly EventRecord[]> {
  const asked = submissions.toReversed().filter(({ topics }) => topics !== undefined)
  if (asked.length === 0) return []
  const { projectId, id } = contact
  const known = new Map((await tx.topics.all(projectId)).map((topic) => [topic.id, topic]))
  const before = await tx.topics.choices(projectId, [id])
  const chosen = new Set(before.map(({ topicId }) => topicId))
  const wanted = new Map<string, WantedChoice>()
  for (const { topics = {}, createdAt: at, consent: text } of asked) {
    for (const [topicId, subscribed] of Object.entries(topics)) {
      const topic = known.get(topicId)
      const counts = subscribed || (topic?.standing === 'in' && !chosen.has(topicId) && !wanted.has(topicId))
      if (topic && counts && (await tx.topics.hold(projectId, topicId)))
        wanted.set(topicId, { topic, subscribed, at, source: 'form', text })
    }
  }
  const { choices, undone, events } = choiceWrites(contact, before, [...wanted.values()], 'form', newId)
  await tx.topics.choose(choices, undone)
  return events
}

/** The topics ticked in these submissions whose mail the contact does not get yet, in the order of the project. */
export async function tickedTopics(
  tx: Pick<Repositories, 'topics'>,
  { projectId, id, subscribed }: Contact,
  submissions: readonly { readonly topics?: FormSubmission['topics'] | undefined }[],
): Promise<readonly Topic[]> {
  const ticked = new Set(submissions.flatMap(({ topics = {} }) => Object.keys(topics).filter((topic) => topics[topic])))
  if (ticked.size === 0) return []
  const topics = (await tx.topics.all(projectId)).filter((topic) => ticked.has(topic.id) && !topic.archived)
  const known = topicsOf(topics, await tx.topics.choices(projectId, [id]))
  return known.flatMap((each) => (subscribed && each.subscribed ? [] : each.topic))
}
