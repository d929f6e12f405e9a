import type { Contact } from '../contacts/contact.ts'
import { inject, injectable } from '../di.ts'
import { matches } from '../events/event-pattern.ts'
import { Kit } from '../kit.ts'
import type { Repositories } from '../ports/store.ts'
import type { NewId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import { DeliverWebhooks } from './deliver-webhooks.ts'
import type { TellEndpoints, ToldEvent } from './told-event.ts'
import type { WebhookDelivery, WebhookEndpoint } from './webhook.ts'

/** How long one try of a request to an endpoint may take, in seconds. */
const TIMEOUT = 15

/** The deliveries that tell the endpoints of an event of this contact: one for each that is enabled and asked for it. */
export function deliveriesFor(
  endpoints: readonly WebhookEndpoint[],
  event: ToldEvent,
  contact: Contact,
  newId: NewId,
  now: Date,
): readonly WebhookDelivery[] {
  const asking = endpoints.filter(({ enabled, events }) => enabled && events.some((each) => matches(each, event.name)))
  const { id: eventId, name: eventName, emailId, data, createdAt } = event
  const { id, email, subscribed } = contact
  const told = {
    ...{ eventId, ...(emailId === undefined ? {} : { emailId }) },
    ...{ contact: { id, email, subscribed, data: contact.data }, event: data },
  }
  return asking.map((endpoint) => ({
    ...deliveryTo(endpoint, { name: eventName, at: createdAt, data: told }, newId(), now),
    ...{ eventId, contactId: id },
  }))
}

/** A delivery to an endpoint, due now, whose body has the form Standard Webhooks suggests: `{ type, timestamp, data }`. */
export function deliveryTo(
  { id: endpointId, projectId, url }: WebhookEndpoint,
  told: { readonly name: string; readonly at: Date; readonly data: JsonObject },
  id: string,
  now: Date,
): WebhookDelivery {
  const body = JSON.stringify({ type: told.name, timestamp: told.at.toISOString(), data: told.data })
  return {
    ...{ id, projectId, endpointId, eventName: told.name, url, method: 'POST', body, timeout: TIMEOUT },
    headers: { 'content-type': 'application/json' },
    ...{ status: 'PENDING', attempts: 0, dueAt: now, createdAt: now, updatedAt: now },
  }
}

/** Stores deliveries for the endpoints that asked for an event, and has them made. */
@injectable()
export class EndpointTeller implements TellEndpoints {
  constructor(
    @inject(DeliverWebhooks) private readonly deliver: DeliverWebhooks,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `TellEndpoints`. Of a contact that is not there any more nothing is told. */
  async tell(tx: Repositories, events: readonly ToldEvent[], now: Date): Promise<number> {
    const [first] = events
    if (first === undefined) return 0
    const { projectId } = first
    const endpoints = (await tx.webhooks.endpoints(projectId)).filter(({ enabled }) => enabled)
    const patterns = endpoints.flatMap((endpoint) => endpoint.events)
    const asked = events.filter(({ name }) => patterns.some((pattern) => matches(pattern, name)))
    if (asked.length === 0) return 0
    const ids = new Set(asked.map(({ contactId }) => contactId))
    const found = await tx.contacts.findAll(projectId, [...ids])
    const contacts = new Map(found.map((contact) => [contact.id, contact]))
    const deliveries = asked.flatMap((event) => {
      const contact = contacts.get(event.contactId)
      return contact ? deliveriesFor(endpoints, event, contact, this.kit.newId, now) : []
    })
    return tx.webhooks.addDeliveries(deliveries)
  }

  ask(): void {
    this.deliver.ask()
  }
}
