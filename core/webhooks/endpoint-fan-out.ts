import { inject, injectable } from '../di.ts'
import { bodyOf, deliveryTo } from '../events/endpoint-delivery.ts'
import { Kit } from '../kit.ts'
import { ForeignApis, type NamedForeignApi } from '../ports/foreign-api.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import type { NewId } from '../values/id.ts'
import { whoseId } from '../values/stranger-id.ts'
import { asksFor } from './asks-for.ts'
import { DeliverWebhooks } from './deliver-webhooks.ts'
import type { EndpointDispatch } from './endpoint-dispatch.ts'

/** About how many characters of bodies are stored at once. */
const STORED_AT_ONCE = 1_000_000

/** The contact and the mail that an event is about. */
interface Concerned {
  readonly contact?: Contact | undefined
  readonly mail?: Email | undefined
}

/** The deliveries of an event: one for each enabled endpoint that subscribes to it, in the endpoint's dialect. */
export function deliveriesFor(
  endpoints: readonly WebhookEndpoint[],
  event: EventRecord,
  { contact, mail }: Concerned,
  newId: NewId,
  now: Date,
  dialects: readonly NamedForeignApi[] = [],
): readonly WebhookDelivery[] {
  const asking = endpoints.filter(({ enabled, events }) => enabled && asksFor(events, event))
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
    const written = events?.write({ id: eventId, name: eventName, at: createdAt, emailId, data, contact, mail })
    return written === undefined ? undefined : JSON.stringify(written)
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
    const asked = events.filter((event) => asksFor(patterns, event))
    if (asked.length === 0) return 0
    const ids = new Set(asked.flatMap(({ contactId }) => contactId ?? []))
    const found = await tx.contacts.findAll(projectId, [...ids])
    const contacts = new Map(found.map((contact) => [contact.id, contact]))
    const mails = await this.#mailsOf(tx, endpoints, asked)
    let stored = 0
    let waiting: WebhookDelivery[] = []
    let characters = 0
    // many events times many endpoints can be very large
    for (const event of asked) {
      const contact = contacts.get(event.contactId ?? '')
      if (contact === undefined && event.contactId !== undefined) continue
      const concerned = { contact, mail: mails.get(event.emailId ?? '') }
      for (const delivery of deliveriesFor(endpoints, event, concerned, this.kit.newId, now, this.dialects)) {
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

  /** The mails that events are about, where an endpoint gets them in a form that has more of a mail than its event. */
  async #mailsOf(
    tx: Repositories,
    endpoints: readonly WebhookEndpoint[],
    events: readonly EventRecord[],
  ): Promise<ReadonlyMap<string, Email>> {
    const [first] = events
    if (first === undefined || endpoints.every(({ dialect }) => dialect === undefined)) return new Map()
    const ids = new Set(events.flatMap(({ emailId }) => emailId ?? []))
    const mails = await tx.emails.some(first.projectId, [...ids])
    return new Map(mails.map((mail) => [mail.id, mail]))
  }

  ask(): void {
    this.deliver.ask()
  }
}
