import { EngineError } from '../errors.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Topic } from '../ports/store/topics.ts'
import { isId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { requireText, shownId } from '../values/shown-id.ts'
import { TOPIC_SLUG_LENGTH } from '../values/slug.ts'

type Reads = Pick<Repositories, 'topics'>

/** The topic with this id or slug. */
export async function findTopic({ topics }: Reads, projectId: ProjectId, name: string): Promise<Topic | undefined> {
  requireText(name, 'id')
  if (isId(name)) return topics.find(projectId, name)
  return name.length > TOPIC_SLUG_LENGTH ? undefined : topics.named(projectId, name)
}

/** The topic with this id or slug. Throws EngineError `TOPIC_NOT_FOUND`. */
export async function namedTopic(reads: Reads, projectId: ProjectId, name: string): Promise<Topic> {
  return (await findTopic(reads, projectId, name)) ?? missingTopic(name)
}

/**
 * The given fields with the id of the topic they name by its id or slug; null and undefined stay. Throws EngineError
 * `TOPIC_NOT_FOUND`.
 */
export async function withTopic<Given extends { readonly topicId?: string | null | undefined }>(
  reads: Reads,
  projectId: ProjectId,
  given: Given,
): Promise<Given> {
  if (given.topicId == null) return given
  return { ...given, topicId: (await namedTopic(reads, projectId, given.topicId)).id }
}

/** Makes sure inside a transaction that the topic is there, and stays until it ends. Throws EngineError `TOPIC_NOT_FOUND`. */
export async function holdTopic(
  tx: Reads,
  projectId: ProjectId,
  { topicId }: { readonly topicId?: string | undefined },
): Promise<void> {
  if (topicId !== undefined && !(await tx.topics.hold(projectId, topicId))) missingTopic(topicId)
}

/** Throws EngineError `TOPIC_NOT_FOUND` that names what was asked for. */
export function missingTopic(name: string): never {
  throw new EngineError('TOPIC_NOT_FOUND', `There is no topic ${shownId(name, 2 * TOPIC_SLUG_LENGTH)}.`, {
    suggestion: 'GET /topics lists those of the project; name one by its id or its slug.',
  })
}
