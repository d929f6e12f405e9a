import { matches } from '../events/event-pattern.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { NewId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'
import { bodyOf, deliveryTo } from './delivery.ts'

/** Something that happened to a project rather than to a contact. */
interface ProjectNotice {
  readonly projectId: ProjectId
  /** The name of the event. */
  readonly name: string
  readonly event: JsonObject
  readonly at: Date
}

/** Sends an event that has no contact, and is not stored, to the enabled endpoints of the project that ask for it. */
export async function notifyEndpoints(
  tx: Repositories,
  { projectId, name, event, at }: ProjectNotice,
  newId: NewId,
): Promise<void> {
  const body = bodyOf({ name, at, data: { event } })
  const asking = (await tx.webhookEndpoints.all(projectId)).filter(
    ({ enabled, events }) => enabled && events.some((pattern) => matches(pattern, name)),
  )
  const deliveries = asking.map((endpoint) => deliveryTo(endpoint, { name, body }, newId(), at))
  if (deliveries.length > 0) await tx.webhookDeliveries.add(deliveries)
}
