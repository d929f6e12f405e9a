import { readWhy } from '../../core/bounces/refusal-why.ts'
import type { Addressed, EmailDetail, ListedEmail } from '../../core/mails/mails.ts'
import type { MailTry } from '../../core/ports/store/emails.ts'
import { EVENTS } from '../../core/values/event-names.ts'
import { mailboxLine, type NamedAddress } from '../../core/values/mailbox.ts'
import type { EmailDetailRecord, ListedEmailRecord } from '../schemas/emails.ts'
import type { Wire } from '../schemas/parts.ts'
import { emailOnWire, eventOnWire } from './records.ts'

/** The row with what it is about. */
export function listedEmailOnWire(email: ListedEmail): Wire<typeof ListedEmailRecord> {
  const { from, fromName, subject } = email
  return { ...emailOnWire(email), from, fromName, subject }
}

/**
 * The row with its mail's text (the HTML as `body`) and its events; for a received mail, also all that came with it.
 */
export function emailDetailOnWire({
  email,
  from,
  messageId,
  addressed,
  subject,
  html,
  text,
  events,
  tries,
  received,
}: EmailDetail): Wire<typeof EmailDetailRecord> {
  const written = { subject: subject ?? null, body: html ?? null, text: text ?? null }
  const words = { from: from.email, fromName: from.name, ...written, messageId }
  return {
    errorMeaning: null,
    ...emailOnWire(email),
    ...words,
    ...(addressed && addressedOnWire(addressed)),
    ...received,
    why: readWhy(events.findLast(({ name }) => name === EVENTS.bounce)?.data.why) ?? null,
    tries: tries.map(tryOnWire),
    events: events.map(eventOnWire),
  }
}

function tryOnWire({ at, transport, outcome, reason, conversation }: MailTry) {
  const { host, address, tls, answers = [] } = conversation ?? {}
  return { at, transport, outcome, reason, host, address, tls, answers }
}

function addressedOnWire({ alsoTo, cc, bcc, replyTo }: Addressed) {
  const lines = (mailboxes: readonly NamedAddress[]) => mailboxes.map(mailboxLine)
  return { alsoTo: lines(alsoTo), cc: lines(cc), bcc: lines(bcc), replyTo }
}
