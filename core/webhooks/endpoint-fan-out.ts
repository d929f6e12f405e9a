import { inject, injectable } from '../di.ts'
import { matches } from '../events/event-pattern.ts'
import { Kit } from '../kit.ts'
import { ForeignApis, type NamedForeignApi } from '../ports/foreign-api.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import type { NewId } from '../values/id.ts'
import { whoseId } from '../values/stranger-id.ts'
import { DeliverWebhooks } from './deliver-webhooks.ts'
import { bodyOf, deliveryTo } from './delivery.ts'
import type { EndpointDispatch } from './endpoint-dispatch.ts'

/** About how many characters of bodies are stored at once. */
const STORED_AT_ONCE = 1_000_000

/** The deliveries of an event: one for each enabled endpoint that subscribes to it, in the endpoint's dialect. */
export function deliveriesFor(
  endpoints: readonly WebhookEndpoint[],
  event: EventRecord,
  contact: Contact | undefined,
  newId: NewId,
  now: Date,
  dialects: readonly NamedForeignApi[] = [],
): readonly WebhookDelivery[] {
  const asking = endpoints.filter(({ enabled, events }) => enabled && events.some((each) => matches(each, event.name)))
  const { id: eventId, name: eventName, emailId, data, createdAt } = event
  const content = {
    eventId,
    ...(emailId === undefined ? {} : { emailId }),
    ...(contact === undefined ? {} : { contact: shown(contact) }),
    event: data,
  }
  const body = bodyOf({ name: eventName, at: createdAt, data: content })
  const bodyIn = (dialect: string): string | undefined => {
    const events = dialects.find(({ name }) => name === dialect)?.api.events
    const written = events?.write({ name: eventName, at: createdAt, emailId, data, contact })
    return written && JSON.stringify(written)
  }
  return asking.flatMap((endpoint) => {
    const sent = endpoint.dialect === undefined ? body : bodyIn(endpoint.dialect)
    if (sent === undefined) return []
    const made = deliveryTo(endpoint, { name: eventName, body: sent }, newId(), now)
    return { ...made, eventId, contactId: whoseId(event) }
  })
}

function shown({ id, email, subscribed, data }: Contact) {
  return { id, email, subscribed, data }
}

/** Stores deliveries for the endpoints that subscribe to an event, and queues them. */
@injectable()
export class EndpointFanOut implements EndpointDispatch {
  constructor(
    @inject(DeliverWebhooks) private readonly deliver: DeliverWebhooks,
    @inject(ForeignApis) private readonly dialects: readonly NamedForeignApi[],
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `EndpointDispatch`. Nothing is sent about a removed contact. */
  async dispatch(tx: Repositories, events: readonly EventRecord[], now: Date): Promise<number> {
    const [first] = events
    if (first === undefined) return 0
    const { projectId } = first
    const endpoints = (await tx.webhookEndpoints.all(projectId)).filter(({ enabled }) => enabled)
    const patterns = endpoints.flatMap((endpoint) => endpoint.events)
    const asked = events.filter(({ name }) => patterns.some((pattern) => matches(pattern, name)))
    if (asked.length === 0) return 0
    const ids = new Set(asked.flatMap(({ contactId }) => contactId ?? []))
    const found = await tx.contacts.findAll(projectId, [...ids])
    const contacts = new Map(found.map((contact) => [contact.id, contact]))
    let stored = 0
    let waiting: WebhookDelivery[] = []
    let characters = 0
    // many events times many endpoints can be very large
    for (const event of asked) {
      const contact = contacts.get(event.contactId ?? '')
      if (contact === undefined && event.contactId !== undefined) continue
      for (const delivery of deliveriesFor(endpoints, event, contact, this.kit.newId, now, this.dialects)) {
        waiting.push(delivery)
        characters += delivery.body?.length ?? 0
      }
      if (characters < STORED_AT_ONCE) continue
      stored += await tx.webhookDeliveries.add(waiting)
      waiting = []
      characters = 0
    }
    return stored + (waiting.length > 0 ? await tx.webhookDeliveries.add(waiting) : 0)
  }

  ask(): void {
    this.deliver.ask()
  }
}
