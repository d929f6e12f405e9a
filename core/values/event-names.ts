import { idAt } from './id.ts'
/** Every event the service itself writes; `docs/events.md` describes their data and where they come from. */
export const EVENTS = {
  /** The next hop accepted a mail. */
  sent: 'email.sent',
  /** The recipient's server accepted a mail, as far as the next hop or the provider reports it. */
  delivery: 'email.delivery',
  open: 'email.open',
  click: 'email.click',
  /** A mail did not arrive: `bounceType` says whether permanently. */
  bounce: 'email.bounce',
  complaint: 'email.complaint',
  /** A mail came in. */
  received: 'email.received',
  /** A person answered a mail. */
  replied: 'email.replied',
  /** A contact came in, subscribed or not. Projects may have tracked their own events of this name before. */
  created: 'contact.created',
  subscribed: 'contact.subscribed',
  unsubscribed: 'contact.unsubscribed',
  /** A contact's consent to tracking changed. */
  tracking: 'contact.tracking',
  /** Another contact was merged into this one. */
  merged: 'contact.merged',
  /** A visitor sent a form of the project. */
  formSubmitted: 'form.submitted',
  /** A message came in to an inbox. */
  inboxMessage: 'inbox.message.received',
  /** A thread of an inbox was moved, labelled, assigned, merged or split. */
  inboxThread: 'inbox.thread.updated',
  /** A draft of a key waits for a person. */
  inboxDraftWaiting: 'inbox.draft.waiting',
  /** A person approved a draft. */
  inboxDraftApproved: 'inbox.draft.approved',
  /** A person refused a draft. */
  inboxDraftRefused: 'inbox.draft.refused',
  /** A draft was sent. */
  inboxDraftSent: 'inbox.draft.sent',
  /** The mail of a sent draft was taken back while it waited. */
  inboxDraftUndone: 'inbox.draft.undone',
  /** A draft was thrown away. */
  inboxDraftRemoved: 'inbox.draft.removed',
  /** Sent to one endpoint as a test on request; it has no contact and is not stored. */
  webhookTest: 'webhook.test',
  /** Sent to the other endpoints of a project when one is paused; it has no contact and is not stored. */
  webhookPaused: 'webhook.paused',
  /** Sent to the endpoints of a project when a mail was caught instead of sent; it is not stored, and starts nothing. */
  caught: 'email.caught',
  /** Sent to the endpoints of a project while programs attack a form of it; it has no contact and is not stored. */
  formAttacked: 'form.attacked',
  /** Sent to the endpoints of a project when reports on a domain bring bad news; it has no contact and is not stored. */
  domainAlerted: 'domain.alerted',
} as const

/** The event of a contact that enters a tracked segment or leaves it. */
export function segmentEvent(slug: string, change: 'entry' | 'exit'): string {
  return `segment.${slug}.${change}`
}

/** True for names that only the service may use. What is sent by forms is shown like a customer's own events, though. */
export function isOwnEvent(name: string): boolean {
  return isReservedEvent(name) || name === EVENTS.formSubmitted
}

/** True for names of the service that have their own figures (specification, `POST /v1/track`; we add the last two). */
export function isReservedEvent(name: string): boolean {
  return name.startsWith('email.') || CONTACT_EVENTS.has(name) || /^segment\..+\.(entry|exit)$/.test(name)
}

const CONTACT_EVENTS: ReadonlySet<string> = new Set([
  EVENTS.subscribed,
  EVENTS.unsubscribed,
  EVENTS.tracking,
  EVENTS.merged,
])

/** The events that a mail's row in the ledger can stand for. */
export type LedgerEventName = typeof EVENTS.sent | typeof EVENTS.delivery

/**
 * The id of an event that a mail's row stands for, the same on every read: a UUIDv7 of the moment the mail was sent, with the
 * random bits of the mail's id. Of one mail, `email.sent` comes before `email.delivery`.
 */
export function ledgerEventId(name: LedgerEventName, emailId: string, sentAt: Date): string {
  return idAt(sentAt, name === EVENTS.sent ? 0 : 1, emailId)
}
