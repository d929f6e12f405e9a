import type { Repositories } from '../ports/store/store.ts'
import type { NewId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'
import { bodyOf, deliveryTo } from './endpoint-delivery.ts'
import { matches } from './event-pattern.ts'

/** Something that happened and is no event of a contact: it starts no workflow, and the events of the project lack it. */
export interface EndpointNotice {
  readonly projectId: ProjectId
  /** The name of the event. */
  readonly name: string
  readonly event: JsonObject
  readonly at: Date
  /** The mail that it is about. */
  readonly emailId?: string
  /** The contact that the mail is for: what was sent about it is erased with it. */
  readonly contactId?: string | undefined
}

/** How many deliveries are stored at once. */
const AT_ONCE = 500

/**
 * Sends events that are not stored to the enabled endpoints of their projects that ask for them. Answers how many
 * deliveries wait now: ring for them after the commit.
 */
export async function notifyEndpoints(
  tx: Repositories,
  notices: readonly EndpointNotice[],
  newId: NewId,
): Promise<number> {
  let stored = 0
  for (const [projectId, own] of Map.groupBy(notices, ({ projectId }) => projectId)) {
    const enabled = (await tx.webhookEndpoints.all(projectId)).filter((endpoint) => endpoint.enabled)
    const deliveries = own.flatMap(({ name, event, at, emailId, contactId }) => {
      const asking = enabled.filter(({ events }) => events.some((pattern) => matches(pattern, name)))
      if (asking.length === 0) return []
      const body = bodyOf({ name, at, data: emailId === undefined ? { event } : { emailId, event } })
      return asking.map((endpoint) => {
        const delivery = deliveryTo(endpoint, { name, body }, newId(), at)
        return contactId === undefined ? delivery : { ...delivery, contactId }
      })
    })
    for (let from = 0; from < deliveries.length; from += AT_ONCE) {
      stored += await tx.webhookDeliveries.add(deliveries.slice(from, from + AT_ONCE))
    }
  }
  return stored
}
