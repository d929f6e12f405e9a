import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignPart } from '../../../core/ports/foreign-api.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/values/json.ts'
import { yieldToLoop } from '../../../core/values/yield-to-loop.ts'
import { addressesIn, bareAddress } from '../kit/addresses.ts'
import { fileType } from '../kit/file-type.ts'
import type { Form } from '../kit/form.ts'
import { tagsOfLabels } from '../kit/labels.ts'
import { readMailDate } from '../kit/mail-date.ts'
import { type Mail, mailsOf } from '../kit/send-all.ts'
import { trackingBy } from '../kit/tracking.ts'
import { objectIn, valuesOnce } from '../kit/values-once.ts'

/** The most recipients of a request. */
const MAX_RECIPIENTS = 1000
/** The most tags of a mail. */
const MAX_TAGS = 10
/** The longest text of one mail, filled in. */
const MAX_TEXT = 10_000_000

/** A request that is understood. */
export interface ReadMessage {
  /** The sender, as it was written. */
  readonly from: string
  readonly mails: readonly Mail[]
  /** Whether it is only checked. */
  readonly isTest: boolean
}

/** Options that would be lost without a word. */
const IMPOSSIBLE = Object.entries({
  'amp-html': 'is not possible here',
  'o:deliverytime-optimize-period': 'is not possible here: a mail goes out at one time',
  'o:time-zone-localize': 'is not possible here: give a time with its zone as o:deliverytime',
  't:version': 'is not possible here: the published version of a template counts',
  't:text': 'is not possible here: a template makes its own plain text',
})

/** Reads a message. Throws EngineError `VALIDATION_ERROR` with Mailgun's names of fields. */
export async function readMessage(form: Form, now: Date): Promise<ReadMessage> {
  for (const [field, message] of IMPOSSIBLE) {
    if (form.text(field) !== undefined) throw invalidField(field, 'custom', message)
  }
  const from = form.text('from')
  if (from === undefined) throw invalidField('from', 'required', 'is required')
  const to = listed(form, 'to')
  if (to.length === 0) throw invalidField('to', 'required', 'is required')
  if (to.length > MAX_RECIPIENTS) throw invalidField('to', 'too_big', `must have at most ${MAX_RECIPIENTS} addresses`)
  const variables = recipientVariables(form)
  const common = commonOf(form, from, now)
  const content = contentOf(form)
  const isTest = isYes(form, 'o:testmode') === true
  if (variables === undefined) {
    const own = await content(undefined)
    const mail = { ...common, ...own, to: [...to], ...(to.length > 1 ? { together: true } : {}) }
    return { from, mails: [mail], isTest }
  }
  // an address that is listed twice gets one mail
  const byAddress = Map.groupBy(to, (entry) => bareAddress(entry) ?? entry)
  const entries = [...byAddress.values()].flatMap(([first]) => first ?? [])
  const mails = await mailsOf(entries, 'to', async (entry) => {
    const email = bareAddress(entry)
    const own = email === undefined ? undefined : variables.get(email)
    return { ...common, ...(await content({ entry, email, own: own ?? {} })), to: entry }
  })
  return { from, mails, isTest }
}

/** A recipient of a request in which each gets a mail of its own. */
interface Recipient {
  readonly entry: string
  readonly email: string | undefined
  readonly own: JsonObject
}

const TRACKING = ['o:tracking', 'o:tracking-opens', 'o:tracking-clicks']

/** The fields of all mails of a request. */
function commonOf(form: Form, from: string, now: Date): Omit<Partial<Mail>, 'to'> {
  const [cc, bcc] = [listed(form, 'cc'), listed(form, 'bcc')]
  const { headers, reply } = headersOf(form)
  const tags = tagsOf(form)
  const tracking = trackingBy(TRACKING.map((field) => isYes(form, field)))
  const scheduledFor = timeOf(form, now)
  const attachments = [
    ...form.files('attachment').map((file) => attachmentOf(file, false)),
    ...form.files('inline').map((file) => attachmentOf(file, true)),
  ]
  return {
    from,
    ...(cc.length > 0 ? { cc: [...cc] } : {}),
    ...(bcc.length > 0 ? { bcc: [...bcc] } : {}),
    ...(reply.length > 0 ? { reply: [...reply] } : {}),
    ...(headers === undefined ? {} : { headers }),
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
    ...(tracking === undefined ? {} : { tracking }),
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

interface OwnHeaders {
  readonly headers?: Readonly<Record<string, string>>
  readonly reply: readonly string[]
}

const NO_HEADERS: OwnHeaders = { reply: [] }

/** The fields of the header that a request sets. */
function headersOf(form: Form): OwnHeaders {
  const named = form.named('h:')
  if (named.size === 0) return NO_HEADERS
  const fields = [...named].filter(([name]) => name.toLowerCase() !== 'x-mailgun-variables')
  const replyTo = fields.find(([name]) => name.toLowerCase() === 'reply-to')
  const headers = fields.filter((field) => field !== replyTo)
  const reply = addressesIn(replyTo?.[1])
  return headers.length > 0 ? { headers: Object.fromEntries(headers), reply } : { reply }
}

/** The texts of a mail: filled in for a recipient of its own, or as they stand. */
function contentOf(form: Form): (recipient: Recipient | undefined) => Promise<Partial<Mail>> {
  const [subject, text, html, template] = ['subject', 'text', 'html', 'template'].map((name) => form.text(name))
  if (template !== undefined) {
    const shared = templateVariables(form)
    return async (recipient) => ({
      template,
      data: valuesOnce({ ...shared, ...recipient?.own }),
      ...(subject === undefined
        ? {}
        : { subject: recipient ? await filledIn(subject, recipient, 'subject') : subject }),
    })
  }
  if (text === undefined && html === undefined) {
    const fields = [{ field: 'text', code: 'required' as const, message: "or 'html' or 'template' is required" }]
    throw new EngineError('VALIDATION_ERROR', 'The mail has no content.', { fields })
  }
  const written: Pick<Mail, 'placeholders' | 'subject' | 'body' | 'text'> = {
    placeholders: false,
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { body: html }),
    ...(text === undefined ? {} : { text }),
  }
  return async (recipient) => {
    if (recipient === undefined) return written
    const filled: Partial<Mail> = { ...written }
    for (const [field, name] of FILLED_IN) {
      const value = written[field]
      if (typeof value === 'string') filled[field] = await filledIn(value, recipient, name)
    }
    return filled
  }
}

/** The fields that may name values of a recipient, and Mailgun's names of them. */
const FILLED_IN = [
  ['subject', 'subject'],
  ['body', 'html'],
  ['text', 'text'],
] as const

/** `%recipient.name%` is a value of the recipient, `%recipient%` its address as it was written. */
async function filledIn(text: string, recipient: Recipient, field: string): Promise<string> {
  const { entry, email = '', own } = recipient
  const words = new Map(Object.entries(own).map(([name, value]) => [name, wordOf(value)]))
  const parts: string[] = []
  let length = text.length
  let kept = 0
  for (const { 0: place, 1: name, 2: isEmail, index } of text.matchAll(PLACE)) {
    const value = name === undefined ? (isEmail ? email : entry) : (words.get(name) ?? '')
    length += value.length
    if (length > MAX_TEXT) throw invalidField(field, 'too_big', 'is longer than 10 MB once it is filled in')
    parts.push(text.slice(kept, index), value)
    kept = index + place.length
    if (parts.length % AT_ONCE === 0) await yieldToLoop()
  }
  return parts.join('') + text.slice(kept)
}

const PLACE = /%recipient(?:\.([\w-]{1,100})|(_email))?%/g
/** As many parts of a text are filled in before other work runs. */
const AT_ONCE = 10_000

function wordOf(value: Json): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The values of each recipient by its address; undefined when all get one mail together. */
function recipientVariables(form: Form): ReadonlyMap<string, JsonObject> | undefined {
  const text = form.text('recipient-variables')
  if (text === undefined) return undefined
  const read = objectIn(text)
  const given = Object.entries(read ?? {})
  if (given.length > MAX_RECIPIENTS) {
    throw invalidField('recipient-variables', 'too_big', `must have at most ${MAX_RECIPIENTS} addresses`)
  }
  const entries = given.map(([address, values]): readonly [string, JsonObject] => {
    if (isJsonObject(values)) return [bareAddress(address) ?? address, values]
    throw invalidField('recipient-variables', 'custom', `must have an object for ${address.slice(0, 320)}`)
  })
  if (read === undefined) throw invalidField('recipient-variables', 'custom', 'is not valid JSON of an object')
  return new Map(entries)
}

/** Values of a template: those of `t:variables`, and those that go with the mail. */
function templateVariables(form: Form): JsonObject {
  const merged: Record<string, Json> = {}
  for (const [name, text] of form.named('v:')) merged[name] = objectIn(text) ?? text
  for (const field of ['h:X-Mailgun-Variables', 't:variables']) {
    const text = form.text(field)
    if (text === undefined) continue
    const read = objectIn(text)
    if (read === undefined) throw invalidField(field, 'custom', 'is not valid JSON of an object')
    Object.assign(merged, read)
  }
  return merged
}

const NO_TAGS: Readonly<Record<string, string>> = {}

export function tagsOf(form: Form): Readonly<Record<string, string>> {
  const [given, values] = [form.texts('o:tag'), form.named('v:')]
  if (given.length === 0 && values.size === 0) return NO_TAGS
  const tags = [...new Set(given.filter((tag) => tag !== ''))]
  if (tags.length > MAX_TAGS) throw invalidField('o:tag', 'too_big', `must have at most ${MAX_TAGS} tags`)
  return { ...Object.fromEntries(values), ...tagsOfLabels('tag', tags) }
}

/** `yes`, `no`, `true` or `false`; `htmlonly` means yes for clicks. */
export function isYes(form: Form, field: string): boolean | undefined {
  const said = form.text(field)?.toLowerCase()
  if (said === undefined) return undefined
  if (said === 'yes' || said === 'true' || said === 'htmlonly') return true
  if (said === 'no' || said === 'false') return false
  throw invalidField(field, 'invalid_enum_value', 'must be yes or no')
}

/** The time to send at (RFC 2822). One that has passed means now. */
export function timeOf(form: Form, now: Date): string | undefined {
  const said = form.text('o:deliverytime')
  if (said === undefined) return undefined
  const at = readMailDate(said.trim())
  if (at === undefined) {
    throw invalidField(
      'o:deliverytime',
      'invalid_date',
      'must be a date as RFC 2822 has it: Fri, 14 Oct 2011 23:10:10 -0000',
    )
  }
  return at > now ? at.toISOString() : undefined
}

export function listed(form: Form, field: string): readonly string[] {
  const texts = form.texts(field)
  return texts.length === 0 ? texts : texts.flatMap(addressesIn)
}

function attachmentOf({ value, filename = 'file', contentType }: ForeignPart, isInline: boolean) {
  const file = {
    filename,
    content: Buffer.from(value).toString('base64'),
    contentType: fileType(contentType, filename),
  }
  return isInline
    ? { ...file, contentId: filename, disposition: 'inline' as const }
    : { ...file, disposition: 'attachment' as const }
}
