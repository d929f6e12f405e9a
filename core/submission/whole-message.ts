import * as v from 'valibot'
import { Tags, wrongSchedule } from '../mails/send-request.ts'
import { describedBy } from '../values/described.ts'
import { EmailAddress } from '../values/email-address.ts'
import { type InputOf, takes } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { listOf } from '../values/list.ts'
import { parse, say } from '../values/parse.ts'

/** As many as a batch may have. */
const MAX_RECIPIENTS = 1000
/** As much as fits into the largest body that proxies in front are told to let through. */
const MAX_BASE64 = 49 * 1024 * 1024

const One = v.pipe(
  EmailAddress,
  v.transform((address) => [address]),
)
const Several = listOf(EmailAddress, 1, MAX_RECIPIENTS)
const Recipients = describedBy(
  v.pipe(
    takes<string | readonly string[]>()(v.lazy((given) => (Array.isArray(given) ? Several : One))),
    v.transform((addresses) => [...new Set(addresses)]),
  ),
  v.union([EmailAddress, Several]),
)

export const SendMessageBody = v.object({
  /** The message (RFC 5322) in Base64: header, blank line, body. */
  message: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(MAX_BASE64, say('too_big', 'must be at most 36 MB, decoded')),
  ),
  /** 1 to 1,000 addresses that it goes to, whatever its header says: the recipients of the envelope. */
  to: Recipients,
  /** The return path; without it the author's address. It counts as long as the server has no return path of its own. */
  from: v.nullish(v.union([v.literal(''), EmailAddress])),
  /** The earliest time to send (ISO 8601), at most 30 days ahead. */
  scheduledFor: v.nullish(IsoDate),
  /** Short texts by name, for providers that support tags. */
  tags: v.nullish(takes<Readonly<Record<string, string>>>()(Tags)),
})

/** A whole message to send: the body of `POST /v1/send/message`. */
export interface SendMessageInput extends InputOf<typeof SendMessageBody> {}

/** A whole message with its envelope, read. */
export interface WholeMessage {
  /** In Base64, unchecked. */
  readonly raw: string
  readonly to: readonly string[]
  readonly from: string | undefined
  readonly scheduledFor: Date | undefined
  readonly tags: Readonly<Record<string, string>> | undefined
}

/** Reads the body of `POST /v1/send/message`. Throws EngineError `VALIDATION_ERROR` with all refused fields. */
export function readWholeMessage(input: unknown, now: Date): WholeMessage {
  const { message, to, from, scheduledFor, tags } = parse(SendMessageBody, input, (sound) =>
    wrongSchedule(sound.scheduledFor, now),
  )
  return {
    raw: message,
    to,
    from: from ?? undefined,
    scheduledFor: scheduledFor ?? undefined,
    tags: tags ?? undefined,
  }
}
