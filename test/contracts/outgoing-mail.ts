import { randomUUID } from 'node:crypto'
import { Composing } from '../../core/mail/mime/composing.ts'
import { recipientsLeft } from '../../core/mail/recipients-left.ts'
import type { Mailbox, OutgoingMail } from '../../core/ports/mail-transport.ts'

/** The fields that a mail to send may be given; those left out fit the rest. */
export type MailToSend = Partial<Omit<OutgoingMail, 'raw'>> & {
  /** The answer of `raw()`; made from the fields by default. */
  readonly message?: Uint8Array<ArrayBuffer>
}

/**
 * A mail to send. `to`, `cc` and `bcc` are everybody the mail is for, and `envelope` those who get it by this try; as
 * the engine does, the mail has only these in its fields, and names the others in the message alone. Each follows from
 * the other when it is left out.
 */
export function outgoingMail(given: MailToSend = {}): OutgoingMail {
  const { message, ...fields } = given
  const id = fields.id ?? randomUUID()
  const { cc = [], bcc = [] } = fields
  const copies = new Set([...cc, ...bcc].map(({ email }) => email))
  const to = fields.to ?? mailboxes(fields.envelope?.to.filter((address) => !copies.has(address)) ?? [ADA])
  const all = [...to, ...cc, ...bcc].map(({ email }) => email)
  const envelope = fields.envelope ?? { from: 'bounces@sender.test', to: all }
  const mail = {
    id,
    messageId: `<${id}@sender.test>`,
    from: { email: 'hello@sender.test', name: 'Sender' },
    subject: 'A subject',
    html: '<p>Hello</p>',
    text: 'Hello',
    replyTo: [],
    headers: [],
    attachments: [],
    tags: {},
    ...fields,
    envelope,
  }
  const compose = () => {
    const { html, ...rest } = mail
    return new Composing().compose({ ...rest, to, cc, date: DATE, ...(html === undefined ? {} : { html }) })
  }
  return { ...mail, ...recipientsLeft({ to, cc, bcc }, envelope.to), raw: async () => message ?? compose() }
}

const ADA = 'ada@example.com'
const DATE = new Date('2026-01-02T03:04:05Z')

const mailboxes = (addresses: readonly string[]): readonly Mailbox[] => addresses.map((email) => ({ email }))
