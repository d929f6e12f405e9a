import { readData } from '../contacts/contact.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { EngineError } from '../errors.ts'
import { contentIdInTurns } from '../mail/content.ts'
import { isConfidential, isForgotten, isTest, newEmail } from '../mail/email.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { KnownContacts, WriteBatchWrites } from '../ports/store/write-batch.ts'
import type { NewId } from '../values/id.ts'
import { unknownToAll } from './accept.ts'

/** The id of the new mail, as remembered under an idempotency key. */
export type Resent = { readonly id: string }

/** Throws EngineError `CONFLICT` with the reason why this mail cannot be sent once more. */
export function requireResendable(email: Email): void {
  if (email.sourceType === 'INBOUND') {
    throw refusal('This mail was received: it cannot be sent again.', 'Send its text as a new mail by POST /v1/send.')
  }
  if (isConfidential(email)) {
    throw refusal(
      'This mail is about an account: it was made for one moment.',
      'Ask for a new one where it was asked for.',
    )
  }
  if (isTest(email)) {
    throw refusal('This mail is a test of a campaign.', 'Send the test again by POST /campaigns/{id}/test.')
  }
  if (email.status === 'QUEUED' || email.status === 'SENDING') {
    throw refusal(
      `This mail is ${email.status}: it has not been sent yet.`,
      'To send it sooner, PATCH /emails/{id} with a scheduledFor of now.',
    )
  }
}

/**
 * The content for the recipient alone: copies went out with the first mail. Nothing of it belongs to a campaign, and a
 * submitted message loses its own Message-ID, so that the new mail gets one. Throws EngineError `CONFLICT` when the text
 * was removed.
 */
export async function resentContent(
  email: Pick<Email, 'redactedAt'>,
  contact: Contact | undefined,
  content: MailContent,
  now: Date,
): Promise<MailContent> {
  // a removed contact's mails are erased a little later
  if (!contact || isForgotten(email, content)) {
    const why = contact ? 'it is older than texts are kept' : 'its contact was deleted'
    throw refusal(`The text of this mail was removed, since ${why}.`, 'Send it as a new mail by POST /v1/send.')
  }
  const { id: _id, createdAt: _createdAt, ofCampaign: _ofCampaign, submitted, ...rest } = content
  const written = { ...rest, cc: [], bcc: [], ...(submitted ? { submitted: withoutMessageId(submitted) } : {}) }
  return { id: await contentIdInTurns(written), ...written, createdAt: now }
}

function withoutMessageId({ messageId: _messageId, header, ...rest }: NonNullable<MailContent['submitted']>) {
  // a field continues in lines that begin with white space (RFC 5322, section 2.2.3)
  return { ...rest, header: header.replace(/^Message-ID:.*\r\n(?:[ \t].*\r\n)*/im, '') }
}

/** A mail to be sent once more. */
export interface Resending {
  readonly project: Project
  readonly original: Email
  readonly content: MailContent
  readonly to: string
  readonly now: Date
}

/**
 * Decides what sending a mail once more writes: a new mail with the same values, and the contact of its address if
 * there is none yet. Pure. Throws EngineError `BAD_REQUEST` for marketing mail to a recipient who is not subscribed.
 */
export function resending(
  known: KnownContacts,
  { project, original, content, to, now }: Resending,
  newId: NewId,
): WriteBatchWrites<Resent> {
  const wanted = {
    projectId: project.id,
    email: to,
    change: readData(undefined),
    subscribed: undefined,
    subscribedWhenNew: false,
    trackingWhenNew: project.trackingConsent,
    reason: 'api',
    source: 'send',
  } as const
  const upsert = upsertContact(known.byAddress(to), wanted, newId, now)
  const { contact } = upsert
  if (content.marketing && !contact.subscribed) {
    throw new EngineError('BAD_REQUEST', `${to} is not subscribed; this mail goes to subscribed contacts only.`, {
      fields: [{ field: 'to', code: 'custom', message: `${to} is not subscribed` }],
    })
  }
  const { toName, templateId, variables, tags } = original
  const email = newEmail(now, {
    id: newId(),
    projectId: project.id,
    contactId: contact.id,
    contentId: content.id,
    to,
    ...(toName !== undefined && to === original.to ? { toName } : {}),
    sourceType: 'TRANSACTIONAL',
    lane: 'transactional',
    ...(project.isForTests ? { toFolder: true } : {}),
    ...(templateId === undefined ? {} : { templateId }),
    variables: { ...variables, subscribed: contact.subscribed },
    tags,
  })
  const contacts = !upsert.changed ? [] : [project.isForTests ? unknownToAll(contact) : contact]
  const events = project.isForTests ? [] : upsert.events
  return { contacts, contents: [content], emails: [email], events, answer: { id: email.id } }
}

function refusal(message: string, suggestion: string): EngineError {
  return new EngineError('CONFLICT', message, { suggestion })
}
