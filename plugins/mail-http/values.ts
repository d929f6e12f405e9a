import type { Mailbox, OutgoingAttachment, OutgoingMail } from '../../core/ports/mail-transport.ts'
import { asciiAddress } from '../../core/values/email-address.ts'

/** A file of a multipart form. */
export class FilePart {
  constructor(
    readonly name: string,
    readonly contentType: string,
    readonly content: Uint8Array,
  ) {}
}

/** The value that a template gives. */
export type Rendered =
  | string
  | number
  | boolean
  | null
  | FilePart
  | readonly Rendered[]
  | { readonly [key: string]: Rendered }

/** The mail as one request hands it over: the recipients may be fewer than the mail's. */
export type MailOfRequest = Pick<
  OutgoingMail,
  'id' | 'messageId' | 'envelope' | 'from' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'html' | 'text'
> &
  Pick<OutgoingMail, 'headers' | 'attachments' | 'tags'>

type Value = (mail: MailOfRequest) => Rendered | undefined
type Item = Readonly<Record<string, string | undefined>>

const mailboxes = (key: 'to' | 'cc' | 'bcc' | 'replyTo'): Readonly<Record<string, Value>> => ({
  [`${key}.emails`]: (mail) => mail[key].map(({ email }) => asciiAddress(email)),
  [`${key}.texts`]: (mail) => mail[key].map(written),
  [`${key}.text`]: (mail) => (mail[key].length === 0 ? undefined : mail[key].map(written).join(', ')),
})

/** The placeholders of a mail. One without a value is left out of the body. */
export const VALUES: Readonly<Record<string, Value>> = {
  id: ({ id }) => id,
  messageId: ({ messageId }) => messageId,
  subject: ({ subject }) => subject,
  html: ({ html }) => html,
  text: ({ text }) => text,
  'from.email': ({ from }) => asciiAddress(from.email),
  'from.name': ({ from }) => from.name,
  'from.text': ({ from }) => written(from),
  'replyTo.email': ({ replyTo: [first] }) => first && asciiAddress(first.email),
  'replyTo.name': ({ replyTo: [first] }) => first?.name,
  ...mailboxes('replyTo'),
  'envelope.from': ({ envelope }) => asciiAddress(envelope.from),
  ...mailboxes('to'),
  ...mailboxes('cc'),
  ...mailboxes('bcc'),
  'headers.object': ({ headers }) => Object.fromEntries(headers),
  'tags.object': ({ tags }) => tags,
  'attachments.files': ({ attachments }) => attachments.map(fileOf),
  'attachments.attachedFiles': ({ attachments }) => attachments.filter(isAttached).map(fileOf),
  'attachments.inlineFiles': ({ attachments }) => attachments.filter((each) => !isAttached(each)).map(inlineFileOf),
}

/** The placeholders that are no text. */
export const STRUCTURES: ReadonlySet<string> = new Set(
  Object.keys(VALUES).filter((name) => /\.(?:emails|texts|object|\w*[fF]iles)$/.test(name)),
)

const MAILBOX = ['email', 'name', 'text']
const PAIR = ['name', 'value']
const FILE = ['filename', 'contentType', 'contentId', 'disposition', 'content']

/** The lists for `each`, with what an item has. */
export const LISTS: Readonly<Record<string, readonly string[]>> = {
  to: MAILBOX,
  cc: MAILBOX,
  bcc: MAILBOX,
  replyTo: MAILBOX,
  headers: PAIR,
  tags: PAIR,
  attachments: FILE,
}

/** The items of a list of `LISTS`. */
export function itemsOf(list: string, mail: MailOfRequest): readonly Item[] {
  switch (list) {
    case 'to':
    case 'cc':
    case 'bcc':
    case 'replyTo':
      return mail[list].map((box) => ({ email: asciiAddress(box.email), name: box.name, text: written(box) }))
    case 'headers':
      return mail.headers.map(([name, value]) => ({ name, value }))
    case 'tags':
      return Object.entries(mail.tags).map(([name, value]) => ({ name, value }))
    default:
      return mail.attachments.map(({ content, filename, contentType, contentId, disposition }) => {
        const base64 = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
        return { filename, contentType, contentId, disposition, content: base64 }
      })
  }
}

/** `Ada Lovelace <ada@example.com>`, quoted where RFC 5322 wants it; other letters than ASCII stay. */
function written({ email, name }: Mailbox): string {
  const address = asciiAddress(email)
  if (name === undefined || name.trim() === '') return address
  const isPlain = /^[\p{L}\p{N} !#$%&'*+/=?^_`{|}~-]+$/u.test(name)
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`
}

function isAttached({ disposition, contentId }: OutgoingAttachment): boolean {
  return disposition === 'attachment' || contentId === undefined
}

function fileOf({ filename, contentType, content }: OutgoingAttachment): FilePart {
  return new FilePart(filename, contentType, content)
}

/** Its name is the content id, since that is how providers with forms find what the HTML shows. */
function inlineFileOf({ contentId, filename, contentType, content }: OutgoingAttachment): FilePart {
  return new FilePart(contentId ?? filename, contentType, content)
}
