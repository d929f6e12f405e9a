import * as v from 'valibot'
import { SubmittedData } from '../contacts/contact.ts'
import { EngineError, type FieldProblem, invalidField } from '../errors.ts'
import { leastEncoded, MAX_MESSAGE_BYTES } from '../mail/mime/message-size.ts'
import { literalText } from '../mail/render/literal-text.ts'
import { isMixed, type SimulatorSettings } from '../mail/simulator-address.ts'
import type { NamedCopy } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import { TransportName } from '../projects/nameable-transports.ts'
import { describedBy } from '../values/described.ts'
import { headerText } from '../values/header-text.ts'
import { type InputOf, takes } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { isJsonObject, type JsonObject, type Untrusted } from '../values/json.ts'
import { listOf } from '../values/list.ts'
import { Mailbox, type MailboxInput, type NamedAddress } from '../values/mailbox.ts'
import { ReplyTo } from '../values/mailbox-list.ts'
import { noteWarnings, parse, refused, say } from '../values/parse.ts'
import { instead, misnamedTimes, oddWhen } from '../values/unknown-keys.ts'
import {
  type AttachmentInput,
  Attachments,
  decodedLength,
  MAX_ATTACHMENT_BYTES,
  TOO_MUCH_ATTACHED,
} from './attachment-input.ts'
import { Headers } from './header-input.ts'

const MAX_RECIPIENTS = 100
const MAX_COPIES = 20
/** A limit that no useful mail reaches. */
const MAX_TAGS = 100
const MAX_AHEAD_MS = 30 * 86_400_000
/** A caller's clock may be a little behind ours. */
const CLOCK_SKEW_MS = 60_000

/** As `Mailbox`; the deprecated `name` counts only when this was a plain string. */
const Sender = describedBy(
  takes<MailboxInput>()(v.lazy((given) => (typeof given === 'string' ? PlainSender : NamedSender))),
  Mailbox,
)
const PlainSender = v.pipe(
  Mailbox,
  v.transform((mailbox) => ({ ...mailbox, isPlain: true })),
)
const NamedSender = v.pipe(
  Mailbox,
  v.transform((mailbox) => ({ ...mailbox, isPlain: false })),
)

/**
 * One or several, each address once. Both schemas are built once: building one per request would cost more than reading
 * it.
 */
function mailboxes(min: number, max: number) {
  const several = v.pipe(listOf(Mailbox, min, max), v.transform(eachOnce), oddWhen(repeated))
  const single = v.pipe(
    Mailbox,
    v.transform((one) => [one]),
  )
  const either = takes<MailboxInput | readonly MailboxInput[]>()(
    v.lazy((given) => (Array.isArray(given) ? several : single)),
  )
  return describedBy(either, v.union([Mailbox, several]))
}

/** The mailboxes without those whose address came before; a name that came only with these stays. */
function eachOnce(given: NamedAddress[]): NamedAddress[] {
  const byAddress = new Map<string, NamedAddress>()
  for (const mailbox of given) {
    const known = byAddress.get(mailbox.email)
    if (known === undefined || (!known.name && mailbox.name)) byAddress.set(mailbox.email, mailbox)
  }
  return [...byAddress.values()]
}

/** The warning about addresses that a list has more than once, whatever their case. */
function repeated(given: unknown): string | undefined {
  if (!Array.isArray(given) || given.length < 2) return undefined
  const addresses = given.flatMap((each) => {
    const read = v.safeParse(Mailbox, each)
    return read.success ? [read.output.email] : []
  })
  const again = new Set(addresses.filter((address, i) => addresses.indexOf(address) < i))
  if (again.size === 0) return undefined
  const [first, ...others] = again
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `has ${first} more than once${more}: each address counts once`
}

export const Tags = describedBy(
  v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object of strings')),
    v.check(atMost(MAX_TAGS), say('too_big', `must have at most ${MAX_TAGS} tags`)),
    v.check(
      (tags) =>
        Object.entries(tags).every(([key, value]) => typeof value === 'string' && key.length + value.length <= 512),
      say('invalid_type', 'must be an object of strings, at most 512 characters each with its name'),
    ),
    v.transform((tags) => tags as Readonly<Record<string, string>>),
  ),
  v.record(v.string(), v.string()),
)

export const SendBody = v.object({
  /** 1 to 100 recipients: addresses, `Ada <ada@example.com>` or `{ name?, email }`. Each gets a separate mail. */
  to: mailboxes(1, MAX_RECIPIENTS),
  /**
   * True: one mail that names all of `to`, as mail programs write it, instead of a mail for each. It is filled in for,
   * and belongs to, the first of them who is not suppressed.
   */
  together: v.nullish(v.boolean()),
  /** Up to 20 recipients of a copy, named in the header. */
  cc: v.nullish(mailboxes(0, MAX_COPIES)),
  /** Up to 20 recipients of a copy, not named in the header. */
  bcc: v.nullish(mailboxes(0, MAX_COPIES)),
  /** The subject, with placeholders. Required without a template. */
  subject: v.nullish(headerText(1, 998)),
  /** The HTML, with placeholders. Required without a template, unless there is a text. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The plain text, with placeholders; without it made from the HTML. Alone it makes a mail without HTML. */
  text: v.nullish(v.string()),
  /** False: `{{ … }}` and `{% … %}` in the texts of this request are sent as they stand, not filled in. */
  placeholders: v.nullish(v.boolean()),
  /** The id or the slug of a template, which fills in what is left out here. */
  template: v.nullish(v.string()),
  /** The id of the layout around the body; without it the template's. */
  layoutId: v.nullish(v.string()),
  /** The sender; its domain must be verified for the project. Required without a template. */
  from: v.nullish(Sender),
  /** The sender's name, when `from` is a bare address. Better written into `from`. */
  name: v.nullish(headerText(0, 255)),
  /** Where replies go: an address, or a list of up to 20. */
  reply: v.nullish(ReplyTo),
  /** Another name of `reply`. */
  replyTo: v.nullish(ReplyTo),
  /** Another name of `reply`. */
  reply_to: v.nullish(ReplyTo),
  /** Whether recipients are subscribed from now on. Without it known contacts stay unchanged, new ones are not. */
  subscribed: v.nullish(v.boolean()),
  /** Values for placeholders, stored with the contacts; `{ value, persistent: false }` is not stored, null deletes. */
  data: v.nullish(SubmittedData),
  /** Further header fields: names and texts, up to 100. */
  headers: v.nullish(takes<Readonly<Record<string, string>>>()(Headers)),
  /** Up to 10 files, 10 MB in total. */
  attachments: v.nullish(takes<readonly AttachmentInput[]>()(Attachments)),
  /** Short texts by name, for providers that support tags. */
  tags: v.nullish(takes<Readonly<Record<string, string>>>()(Tags)),
  /** False: neither openings nor clicks of this mail are counted. */
  tracking: v.nullish(v.boolean()),
  /** The mail server that it goes by, and no other: the name of one that the project may name. */
  transport: v.nullish(TransportName),
  /** The earliest time to send (ISO 8601), at most 30 days ahead. */
  scheduledFor: v.nullish(IsoDate),
  /** The mail fails when it is not delivered by this time (ISO 8601). */
  expiresAt: v.nullish(IsoDate),
  scheduledAt: instead('scheduledFor'),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
  /** The format of the body; only HTML is accepted. */
  type: v.nullish(
    v.literal(
      'html',
      say('invalid_enum_value', 'must be html: the body is sent unchanged, and Markdown is not rendered'),
    ),
  ),
})

/** A mail to send: the body of `POST /v1/send`. */
export interface SendInput extends InputOf<typeof SendBody> {}

/** The body of `POST /v1/send`, checked. */
export type SendRequest = v.InferOutput<typeof SendBody>

/**
 * Reads a send request: checks every rule that needs nothing but the request and the project's default sender. Throws
 * EngineError `VALIDATION_ERROR` with all refused fields.
 */
export function readSendRequest(input: unknown, now: Date, project: Pick<Project, 'from'>): SendRequest {
  const { replyTo, reply_to, ...request } = parse(SendBody, input, (sound, sent) => [
    ...absentFields(sound, project),
    ...unclearFields(sound, sent),
    ...oversizedParts(sound),
    ...wrongTime(sound, now),
    ...misnamedTimes(sent),
  ])
  const reply = request.reply ?? replyTo ?? reply_to
  const read = reply == null ? request : { ...request, reply }
  return request.placeholders === false ? literally(read) : read
}

/** The request with its texts as templates that print them as they stand. */
function literally(request: SendRequest): SendRequest {
  const { subject, body, text, name, from, reply } = request
  return {
    ...request,
    ...(subject == null ? {} : { subject: literalText(subject) }),
    ...(body == null ? {} : { body: literalText(body) }),
    ...(text == null ? {} : { text: literalText(text) }),
    ...(name == null ? {} : { name: literalText(name) }),
    ...(from?.name === undefined ? {} : { from: { ...from, name: literalText(from.name) } }),
    ...(reply == null ? {} : { reply: literalText(reply) }),
  }
}

/**
 * The request as one mail to the first recipient who is none of `unwanted`, whose header names the others beside; without
 * `together` the request itself.
 */
export function together(request: SendRequest, unwanted: ReadonlySet<string>): TogetherRequest {
  const { to, cc } = request
  const first = to.find(({ email }) => !unwanted.has(email)) ?? to[0]
  if (!request.together || first === undefined) return request
  const beside = to.filter((each) => each !== first).map((each) => ({ ...each, isTo: true as const }))
  return { ...request, to: [first], cc: [...beside, ...(cc ?? [])] }
}

/** A request whose copies may stand in the `To` field. */
export type TogetherRequest = Omit<SendRequest, 'cc'> & { readonly cc?: readonly NamedCopy[] | null | undefined }

/** The error with its fields named as in this input: the parts of a mail's names have others once they are read. */
export function fieldsAsSent(error: unknown, input: Untrusted): unknown {
  if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR' || !isJsonObject(input)) return error
  const keys: Readonly<Record<string, readonly string[]>> = {
    fromName: ['name', 'from'],
    replyTo: ['reply', 'replyTo', 'reply_to'],
  }
  const asSent = (field: string) => {
    const key = keys[field]?.find((name) => input[name] != null)
    return key === undefined ? field : isJsonObject(input[key]) ? `${key}.name` : key
  }
  return refused(error.fields.map((problem) => ({ ...problem, field: asSent(problem.field) })))
}

/** Notes what an input is warned of for `warningsOf`, without reading it. */
export function noteWarningsOfSend(input: unknown): void {
  noteWarnings(SendBody, input)
}

type Sound = Partial<SendRequest>

function* absentFields(sound: Sound, project: Pick<Project, 'from'>): Generator<FieldProblem> {
  if (sound.template != null) return
  for (const field of ['from', 'subject', 'body'] as const) {
    if (sound[field] != null || (field === 'from' && project.from)) continue
    if (field === 'body' && sound.text) continue
    yield { field, code: 'required', message: 'is required when there is no template' }
  }
}

/** Requests that would be misunderstood: HTML under an unknown key, two reply addresses. */
function* unclearFields(sound: Sound, sent: Readonly<Record<string, unknown>>): Generator<FieldProblem> {
  if (sent.html != null && sent.body == null) {
    yield { field: 'html', code: 'custom', message: 'is not a key here: put the HTML into body' }
  }
  for (const field of ['replyTo', 'reply_to'] as const) {
    const first = sound.reply ?? sound.replyTo
    if (sound[field] == null || first == null || sound[field] === first) continue
    yield { field, code: 'custom', message: 'means reply, which has another value' }
  }
}

function* oversizedParts({ attachments, body, text }: Sound): Generator<FieldProblem> {
  const attached = attachedBytes({ attachments })
  if (attached > MAX_ATTACHMENT_BYTES) {
    yield { field: 'attachments', code: 'too_big', message: TOO_MUCH_ATTACHED }
  }
  if (bytesOf([body, text]) + attached * (4 / 3) > MAX_MESSAGE_BYTES) yield TOO_LONG
}

const TOO_LONG: FieldProblem = {
  field: 'body',
  code: 'too_big',
  message: 'the message must be at most 40 MB once encoded',
}

/**
 * Throws EngineError `VALIDATION_ERROR` when the message is over the limit once it is encoded, where a byte becomes three
 * at most. Apart from the other rules, since it takes long for megabytes.
 */
export async function requireFits({
  attachments,
  body,
  text,
}: Pick<SendRequest, 'attachments' | 'body' | 'text'>): Promise<void> {
  const texts = [body ?? '', text ?? '']
  if (3 * bytesOf(texts) < MAX_MESSAGE_BYTES / 2) return
  let bytes = attachedBytes({ attachments }) * (4 / 3)
  for (const each of texts) bytes += await leastEncoded(each, MAX_MESSAGE_BYTES - bytes)
  if (bytes > MAX_MESSAGE_BYTES) throw refused([TOO_LONG])
}

function attachedBytes({ attachments }: Pick<Sound, 'attachments'>): number {
  return (attachments ?? []).reduce((sum, { content }) => sum + decodedLength(content), 0)
}

function bytesOf(texts: readonly (string | null | undefined)[]): number {
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text ?? '')
  return bytes
}

/** The problem of a time to send at: in the past, or more than 30 days ahead. */
export function* wrongSchedule(scheduledFor: Date | null | undefined, now: Date): Generator<FieldProblem> {
  const ahead = (scheduledFor?.getTime() ?? now.getTime()) - now.getTime()
  if (ahead > MAX_AHEAD_MS) yield { field: 'scheduledFor', code: 'too_big', message: 'must be at most 30 days ahead' }
  if (ahead < -CLOCK_SKEW_MS) yield { field: 'scheduledFor', code: 'too_small', message: 'must not be in the past' }
}

function* wrongTime({ scheduledFor, expiresAt }: Sound, now: Date): Generator<FieldProblem> {
  yield* wrongSchedule(scheduledFor, now)
  if (expiresAt == null) return
  if (expiresAt <= now) yield { field: 'expiresAt', code: 'too_small', message: 'must be in the future' }
  else if (scheduledFor && expiresAt <= scheduledFor) {
    yield { field: 'expiresAt', code: 'too_small', message: 'must be after scheduledFor' }
  }
}

function atMost(most: number): (given: JsonObject) => boolean {
  return (given) => Object.keys(given).length <= most
}

/**
 * The same request. Copies go out with their mail: to the simulator all of it, or none. Throws EngineError
 * `VALIDATION_ERROR` for a mail to both.
 */
export function ofOneWorld(request: TogetherRequest, settings: SimulatorSettings): TogetherRequest {
  const { to, cc, bcc } = request
  if (!cc && !bcc) return request
  const addresses = [...to, ...(cc ?? []), ...(bcc ?? [])].map(({ email }) => email)
  if (addresses.length === to.length || !isMixed(addresses, settings)) return request
  const field = cc?.some(({ isTo }) => isTo) ? 'to' : cc?.length ? 'cc' : 'bcc'
  const message = 'puts addresses of the simulator and others into one mail: send one mail to each of them'
  throw invalidField(field, 'custom', message)
}
