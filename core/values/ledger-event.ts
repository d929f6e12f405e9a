import { EVENTS } from './event-names.ts'
import { idAt } from './id.ts'

/** The events that a mail's row in the ledger can stand for. */
export type LedgerEventName = typeof EVENTS.sent | typeof EVENTS.delivery

/**
 * The id of an event that a mail's row stands for, the same on every read: a UUIDv7 of the moment the mail was sent, with the
 * random bits of the mail's id. Of one mail, `email.sent` comes before `email.delivery`.
 */
export function ledgerEventId(name: LedgerEventName, emailId: string, sentAt: Date): string {
  return idAt(sentAt, name === EVENTS.sent ? 0 : 1, emailId)
}
