import * as v from 'valibot'
import { SubmittedData } from '../contacts/contact.ts'
import { AnyEventName } from '../events/event.ts'
import type { FilterCondition, FilterInput } from '../ports/store/filters.ts'
import { WEBHOOK_METHODS } from '../ports/store/webhook-deliveries.ts'
import type { StepType } from '../ports/store/workflows.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText, unsendable } from '../values/header-text.ts'
import { type InputOf, takes } from '../values/input.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject, type Untrusted } from '../values/json.ts'
import type { MailboxInput } from '../values/mailbox.ts'
import { MailboxLine, MailboxText } from '../values/mailbox.ts'
import { noteUnknownKeys, parse, say } from '../values/parse.ts'
import { hasNoUser } from '../webhooks/read-endpoint.ts'

/** The longest delay and the longest time-out, in seconds: 365 days. */
const MAX_WAIT = 365 * 86_400

/** How many header fields a WEBHOOK step may set. */
const MAX_HEADERS = 50

const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const
const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const

const AnyObject = v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object'))
const Positive = v.pipe(
  v.number(),
  v.check((amount) => amount > 0, say('too_small', 'must be greater than 0')),
)

const Delay = v.pipe(
  v.object({
    /** The length, in `unit`. */
    amount: Positive,
    /** The unit of the delay. */
    unit: v.picklist(UNITS),
  }),
  v.forward(
    v.check(({ amount, unit }) => amount * UNIT_SECONDS[unit] <= MAX_WAIT, say('too_big', 'must be at most 365 days')),
    ['amount'],
  ),
)

const WaitForEvent = v.object({
  /** The event to wait for. */
  eventName: AnyEventName,
  /** For how long, in seconds; by default for ever. */
  timeout: v.nullish(
    v.pipe(
      Positive,
      v.check((seconds) => seconds <= MAX_WAIT, say('too_big', 'must be at most 365 days, in seconds')),
    ),
  ),
})

const MUST_BE_ADDRESS = 'must be an e-mail address such as ada@example.com, or a placeholder for one'

const Recipient = v.pipe(
  v.object({
    /** The contact itself, or another address. */
    type: v.optional(v.picklist(['CONTACT', 'CUSTOM']), 'CONTACT'),
    /** The other address, with placeholders. */
    customEmail: v.nullish(headerText(1, 1000)),
  }),
  v.forward(
    v.check(({ type, customEmail }) => type !== 'CUSTOM' || customEmail != null, say('required', 'is required')),
    ['customEmail'],
  ),
  v.forward(
    v.check(
      ({ customEmail }) => customEmail == null || mayBeAddress(customEmail),
      say('invalid_string', MUST_BE_ADDRESS),
    ),
    ['customEmail'],
  ),
)

/** The bare address, or an object when there is a name, even if written as `Ada <ada@example.com>`. */
const StepSender = v.lazy((given) =>
  isJsonObject(given)
    ? v.object({ email: EmailAddress, name: v.nullish(headerText(0, 255)) })
    : v.pipe(
        MailboxText,
        v.transform((sender) => (sender.name === undefined ? sender.email : { ...sender })),
      ),
)

const SendEmail = v.object({
  /** The id of a template, which fills in what is left out here. */
  templateId: v.nullish(v.string()),
  /** The subject, with placeholders. */
  subject: v.nullish(headerText(1, 998)),
  /** The HTML, with placeholders. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The sender: an address, `Ada <ada@example.com>`, or `{ name?, email }`. */
  from: v.nullish(takes<MailboxInput>()(StepSender)),
  /** The sender's name, when `from` is a bare address. */
  fromName: v.nullish(headerText(0, 255)),
  /** Where replies go. */
  replyTo: v.nullish(MailboxLine),
  /** The recipient; by default the contact. */
  recipient: v.nullish(Recipient),
})

/** Header fields of the connection or the signature. */
const OUR_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|webhook-(?:id|timestamp|signature))$/i

/** Placeholders: `{{ name }}`, `{% if … %}`. */
const PLACEHOLDERS = /\{\{.*?\}\}|\{%.*?%\}/gs

/** A field name of HTTP (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

const Headers = v.pipe(
  AnyObject,
  v.check((headers) => Object.keys(headers).length <= MAX_HEADERS, say('too_big', `must be at most ${MAX_HEADERS}`)),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const [name, value] of Object.entries(dataset.value)) {
      const message = headerProblem(name, value)
      if (message === undefined) continue
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: { ...dataset.value }, key: name, value }],
      })
    }
  }),
)

const Webhook = v.object({
  /** The URL of the request, with placeholders. */
  url: v.pipe(
    v.string(),
    v.maxLength(4000),
    v.check((url) => /^https?:\/\/[^\s/]/.test(url), say('invalid_string', 'must begin with http:// or https://')),
    v.check((url) => url.includes('{') || URL.canParse(url), say('invalid_string', 'must be a URL')),
    v.check(
      (url) => url.includes('{') || hasNoUser(url),
      say('invalid_string', 'must not contain a user name or a password: set the header field authorization'),
    ),
  ),
  /** By default `POST`. */
  method: v.nullish(v.picklist(WEBHOOK_METHODS)),
  /** Header fields, with placeholders, up to 50. */
  headers: v.nullish(takes<Readonly<Record<string, string>>>()(Headers)),
  /** The body, sent as JSON, with placeholders in its texts. */
  body: v.optional(v.custom<Json>((value) => value !== undefined)),
  /** How long it may take: 1 to 30 seconds. */
  timeoutSeconds: v.nullish(v.pipe(v.number(), v.minValue(1), v.maxValue(30))),
  /** Whether the contact continues (`continue`) or ends there (`fail`) when it fails for good. */
  onFailure: v.nullish(v.picklist(['fail', 'continue'])),
})

const UpdateContact = v.object({
  /** Fields to store, merged key by key, with placeholders in their texts; null deletes a key. */
  data: v.nullish(SubmittedData),
  /** Whether the contact is subscribed from then on. */
  subscribed: v.nullish(v.boolean()),
})
const Exit = v.object({
  /** The reason, for people. */
  reason: v.nullish(v.pipe(v.string(), v.maxLength(1000))),
})

/** The schemas of configs; that of a CONDITION is a filter. */
const CONFIGS = {
  TRIGGER: v.object({}),
  SEND_EMAIL: SendEmail,
  DELAY: Delay,
  WAIT_FOR_EVENT: WaitForEvent,
  WEBHOOK: Webhook,
  UPDATE_CONTACT: UpdateContact,
  EXIT: Exit,
} as const

/** The config of each type of step. A CONDITION has a filter or a single condition. */
export interface StepConfigInput {
  readonly SEND_EMAIL: InputOf<typeof SendEmail>
  readonly DELAY: InputOf<typeof Delay>
  readonly WAIT_FOR_EVENT: InputOf<typeof WaitForEvent>
  readonly CONDITION: FilterInput | FilterCondition | { readonly filter: FilterInput | FilterCondition }
  readonly WEBHOOK: InputOf<typeof Webhook>
  readonly UPDATE_CONTACT: InputOf<typeof UpdateContact>
  readonly EXIT: InputOf<typeof Exit>
}

/**
 * Reads the config of a step of this type as it is stored, without unknown keys (reported by `warningsOf`) and nulls.
 * Throws EngineError `VALIDATION_ERROR` with places such as `config.amount`.
 */
export function readConfig(type: Exclude<StepType, 'CONDITION'>, input: Untrusted): JsonObject {
  const { config } = parse(v.object({ config: CONFIGS[type] }), { config: input ?? {} })
  noteUnknownKeys(CONFIGS[type], input)
  // it came as JSON; converting it again drops what is undefined
  const read: JsonObject = JSON.parse(JSON.stringify(config))
  return jsonObject(Object.entries(read).filter(([, value]) => value !== null))
}

/** The texts of a config that are filled in for each contact, with their places. */
export function* templatedTexts(type: StepType, config: JsonObject): Generator<readonly [place: string, text: string]> {
  switch (type) {
    case 'SEND_EMAIL':
      if (isJsonObject(config.recipient)) yield* textsIn(config.recipient.customEmail, 'config.recipient.customEmail')
      return
    case 'WEBHOOK':
      for (const field of ['url', 'headers', 'body']) yield* textsIn(config[field], `config.${field}`)
      return
    case 'UPDATE_CONTACT':
      yield* textsIn(config.data, 'config.data')
      return
  }
}

function* textsIn(value: Json | undefined, place: string): Generator<readonly [place: string, text: string]> {
  if (typeof value === 'string') yield [place, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) yield* textsIn(each, `${place}.${key}`)
}

function mayBeAddress(text: string): boolean {
  return text.includes('{{') || v.is(EmailAddress, text)
}

function headerProblem(name: string, value: Json): string | undefined {
  if (!HEADER_NAME.test(name)) return say('invalid_string', 'is not a name a header field can have')
  if (OUR_HEADERS.test(name)) return say('custom', 'is a header field that is set for every request')
  if (typeof value !== 'string') return say('invalid_type', 'must be a string')
  if (/[\r\n\0]/.test(value)) return say('header_injection', 'must not contain line breaks or NUL')
  if (value.length > 8000) return say('too_big', 'must have at most 8000 characters')
  // The values of placeholders are checked when they are filled in
  const problem = unsendable(value.replace(PLACEHOLDERS, ''))
  return problem === undefined ? undefined : say('invalid_string', problem)
}
