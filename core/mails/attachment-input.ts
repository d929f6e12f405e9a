import * as v from 'valibot'
import { describedBy, named } from '../values/described.ts'
import { headerText } from '../values/header-text.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject } from '../values/json.ts'
import { listOf } from '../values/list.ts'
import { say } from '../values/parse.ts'

/** How many files a mail may have, and how many bytes they may have in all. */
export const MAX_ATTACHMENTS = 10
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024
/** Base64 is a third larger, and a little more with its line ends. */
const MAX_BASE64 = 1.5 * MAX_ATTACHMENT_BYTES
export const TOO_MUCH_ATTACHED = 'must be at most 10 MB in total, decoded'

const ContentId = v.pipe(
  headerText(1, 255),
  v.regex(/^[\x21-\x3b\x3d\x3f-\x7e]+$/, say('invalid_string', 'must be ASCII without spaces and angle brackets')),
)

const attachment = {
  /** The name the recipient sees. */
  filename: v.pipe(
    headerText(1, 255),
    v.check((name) => !/["']/.test(name), say('invalid_string', 'must not contain quotes')),
  ),
  /** The bytes, in Base64. */
  content: v.pipe(v.string(), v.check(isBase64, say('invalid_string', 'must be Base64'))),
  /** Its MIME type, such as `image/png`. */
  contentType: v.pipe(
    headerText(1, 255),
    v.regex(
      /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/,
      say('invalid_string', 'must be a MIME type such as image/png'),
    ),
  ),
  /** The id under which the HTML shows an inline image: `cid:logo`. */
  contentId: v.nullish(ContentId),
  /** `inline` for a file shown within the HTML, which needs a `contentId`. */
  disposition: v.optional(v.picklist(['attachment', 'inline']), 'attachment'),
}
const AttachmentObject = v.object(attachment)
const InlineAttachment = v.object({
  ...attachment,
  contentId: v.pipe(
    v.nullish(ContentId, null),
    v.check((id) => id !== null, say('required', 'is required when disposition is inline')),
  ),
})

/** A file attached to a mail. */
export interface AttachmentInput extends InputOf<typeof AttachmentObject> {}

/** An inline file has other rules from the start, so that all its problems are reported at once. */
export const Attachment = named(
  'Attachment',
  describedBy(
    v.lazy((given) => {
      if (Array.isArray(given)) return NotAList
      return isJsonObject(given) && given.disposition === 'inline' ? InlineAttachment : AttachmentObject
    }),
    AttachmentObject,
  ),
)
const NotAList = v.custom<never>(() => false, say('invalid_type', 'must be an object, not an array'))

/** Content far beyond the limit is refused without being read to its end. */
const AttachmentList = listOf(Attachment, 0, MAX_ATTACHMENTS)
export const Attachments = describedBy(
  v.lazy((given) => (isFarTooLong(given) ? FarTooLong : AttachmentList)),
  AttachmentList,
)
const FarTooLong = v.custom<never>(() => false, say('too_big', TOO_MUCH_ATTACHED))

function isFarTooLong(attachments: unknown): boolean {
  if (!Array.isArray(attachments)) return false
  let length = 0
  for (const each of attachments) {
    if (isJsonObject(each) && typeof each.content === 'string') length += each.content.length
  }
  return length > MAX_BASE64
}

/** The kind of a character in Base64 (RFC 4648, section 4): one of its 64, white space between lines, or neither. */
const IN_BASE64 = new Uint8Array(128)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') IN_BASE64[sign.charCodeAt(0)] = 1
for (const sign of '\r\n\t ') IN_BASE64[sign.charCodeAt(0)] = 2
const PAD = 61

/** In one pass, whatever it is: to cut the white space out of megabytes of it would take half a second. */
export function isBase64(text: string): boolean {
  let signs = 0
  let pads = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = IN_BASE64[code]
    if (kind === 2) continue
    if (code === PAD) pads++
    else if (kind === 1 && pads === 0) signs++
    else return false
  }
  return pads <= 2 && (signs + pads) % 4 === 0
}

/** How many bytes this Base64 holds. */
export function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}
