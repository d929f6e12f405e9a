import type { ForeignEvent } from '../../../core/ports/foreign-api.ts'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Email } from '../../../core/ports/store/emails.ts'
import { domainOf } from '../../../core/values/email-address.ts'
import { lineOf } from './addresses.ts'

/** An event, and as much of its contact and its mail as services write. */
export interface Happening extends Omit<ForeignEvent, 'contact' | 'mail'> {
  readonly contact?: Pick<Contact, 'email'> | undefined
  readonly mail?: Pick<Email, 'to' | 'tags'> | undefined
}

/** The parts of an event that every service writes, in words of its own; a text that is not known is empty. */
export function happened({ at, emailId, data, contact, mail }: Happening) {
  const textOf = (name: string) => {
    const value = data[name]
    return typeof value === 'string' ? value : ''
  }
  const recipient = mail?.to ?? contact?.email ?? ''
  return {
    seconds: Math.floor(at.getTime() / 1000),
    /** The id of the mail's record. */
    emailId: emailId ?? textOf('emailId'),
    recipient,
    domain: recipient.includes('@') ? domainOf(recipient) : '',
    tags: mail?.tags ?? {},
    subject: textOf('subject'),
    from: textOf('from'),
    sender: lineOf(textOf('from') || null, textOf('fromName')),
    /** The `Message-ID` without its angle brackets. */
    messageId: textOf('messageId').replace(/^<|>$/g, ''),
    link: textOf('link'),
    /** The words of the server that refused the mail. */
    said: textOf('diagnostic'),
    /** The status of a report, such as `5.1.1`. */
    status: textOf('bounceStatus'),
    isPermanent: data.bounceType === 'Permanent',
    /** Who changed a subscription, or by which way. */
    reason: textOf('reason'),
    isOfTopic: typeof data.topicId === 'string',
  }
}
