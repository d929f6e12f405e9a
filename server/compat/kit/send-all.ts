import { EngineError, invalidField } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import type { Json } from '../../../core/values/json.ts'
import { yieldToLoop } from '../../../core/values/yield-to-loop.ts'
import { renamed } from './renamed.ts'
import { type Answer, type BodyOf, typedApi } from './typed-api.ts'

/** A mail to send: the body of `POST /v1/send`. */
export type Mail = BodyOf<'sendMail'>

/** A result of `POST /v1/send/batch`. */
export type BatchResult = Answer<'sendBatch'>['data']['results'][number]

/** The most mails of one request. */
const MAX_MAILS = 500
/** Mails of one request are stored in one commit, each with its own text and files. */
const MAX_BYTES = 20 * 1024 * 1024

interface SendAllOptions {
  /** The service's name of a field of the mail at this place. */
  nameOf(place: number, field: string): string
  /** True: all is checked, but nothing is sent. */
  readonly dryRun?: boolean
  /** The value that a repeated `Idempotency-Key` is compared by. */
  readonly meaning?: Json
}

/** Sends all of these mails or none. Answers their ids. Throws EngineError with the service's names of fields. */
export async function sendAll(
  ours: OurApi,
  mails: readonly Mail[],
  options: SendAllOptions,
): Promise<readonly string[]> {
  const { nameOf, dryRun = false, ...more } = options
  const api = typedApi(ours)
  const [only] = mails
  try {
    if (mails.length === 1 && only !== undefined && !dryRun) {
      const { data } = await api.call('sendMail', { body: only, ...more })
      return data.emails.slice(0, 1).map(({ email }) => email)
    }
    const { data } = await api.call('sendBatch', { body: { messages: [...mails], allOrNone: true, dryRun }, ...more })
    return data.results.map((result) => idOf(result) ?? '')
  } catch (error) {
    throw renamed(error, nameOf)
  }
}

/** A template that is not there as an error of the field that names it, where a service answers it so. */
export function templateIn(field: string): (error: unknown) => never {
  return (error) => {
    if (!EngineError.is(error) || error.code !== 'TEMPLATE_NOT_FOUND') throw error
    throw invalidField(field, 'custom', 'is no template of this server')
  }
}

/** The id of the mail of a message that has one for all its recipients. */
export function idOf(result: BatchResult): string | undefined {
  return result.success ? result.data.emails[0]?.email : undefined
}

/**
 * Makes the mails of a request, one after the other. It stops once they have too much text and files in all, so that a
 * request with many recipients fills neither the memory nor the time of others. Throws EngineError `VALIDATION_ERROR`
 * for the `field` that says to whom.
 */
export async function mailsOf<T>(
  recipients: readonly T[],
  field: string,
  make: (recipient: T, place: number) => Promise<Mail>,
): Promise<readonly Mail[]> {
  if (recipients.length > MAX_MAILS) {
    throw invalidField(field, 'too_big', `must be at most ${MAX_MAILS} mails in a request`)
  }
  const mails: Mail[] = []
  let bytes = 0
  for (const [place, each] of recipients.entries()) {
    const mail = await make(each, place)
    bytes += bytesOf(mail)
    if (bytes > MAX_BYTES && recipients.length > 1) {
      const message =
        'must be at most 20 MB of mail in all: a file counts for each mail that has it. Send fewer at once'
      throw invalidField(field, 'too_big', message)
    }
    mails.push(mail)
    await yieldToLoop()
  }
  return mails
}

function bytesOf({ body, text, attachments }: Mail): number {
  const files = (attachments ?? []).reduce((sum, { content }) => sum + content.length, 0)
  return files + Buffer.byteLength(body ?? '') + Buffer.byteLength(text ?? '')
}
