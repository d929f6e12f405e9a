/** Every event the service itself writes; what each carries, and who writes it, is in `docs/events.md`. */
export const EVENTS = {
  /** The next hop took a mail. */
  sent: 'email.sent',
  /** The recipient's server took a mail, as far as the next hop or the provider says. */
  delivery: 'email.delivery',
  open: 'email.open',
  click: 'email.click',
  /** A mail did not arrive: `bounceType` says whether it never will. */
  bounce: 'email.bounce',
  complaint: 'email.complaint',
  /** A mail came in. */
  received: 'email.received',
  subscribed: 'contact.subscribed',
  unsubscribed: 'contact.unsubscribed',
  /** A contact's consent to tracking changed. */
  tracking: 'contact.tracking',
  /** Sent to one endpoint when its owner asks for a try; belongs to no contact and is not kept. */
  webhookTest: 'webhook.test',
} as const

/** The event of a contact that enters a tracked segment or leaves it. */
export function segmentEvent(slug: string, change: 'entry' | 'exit'): string {
  return `segment.${slug}.${change}`
}

/** True for names only the service itself may use (specification, `POST /v1/track`; `contact.tracking` is ours besides). */
export function isReservedEvent(name: string): boolean {
  return name.startsWith('email.') || CONTACT_EVENTS.has(name) || /^segment\..+\.(entry|exit)$/.test(name)
}

const CONTACT_EVENTS: ReadonlySet<string> = new Set([EVENTS.subscribed, EVENTS.unsubscribed, EVENTS.tracking])
