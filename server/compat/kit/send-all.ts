import { EngineError, type FieldProblem, invalidField } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import type { Json } from '../../../core/values/json.ts'
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
  /** The field of the request that says to whom. */
  readonly field: string
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
  const { field, nameOf, dryRun = false, ...more } = options
  const api = typedApi(ours)
  const [only] = mails
  try {
    if (mails.length === 1 && only !== undefined && !dryRun) {
      const { data } = await api.call('sendMail', { body: only, ...more })
      return data.emails.slice(0, 1).map(({ email }) => email)
    }
    requireFits(mails, field)
    const { data } = await api.call('sendBatch', { body: { messages: [...mails], allOrNone: true, dryRun }, ...more })
    return data.results.map((result) => idOf(result) ?? '')
  } catch (error) {
    throw renamed(error, nameOf)
  }
}

/** The id of the mail of a message that has one for all its recipients. */
export function idOf(result: BatchResult): string | undefined {
  return result.success ? result.data.emails[0]?.email : undefined
}

/** Throws EngineError `VALIDATION_ERROR` when these are too many mails, or too much text and files in all. */
function requireFits(mails: readonly Mail[], field: string): void {
  if (mails.length > MAX_MAILS) throw invalidField(field, 'too_big', `must be at most ${MAX_MAILS} mails in a request`)
  const bytes = mails.reduce((sum, mail) => sum + bytesOf(mail), 0)
  if (bytes > MAX_BYTES) {
    const message = 'make more than 20 MB of mail in all: a file counts for each mail that has it. Send fewer at once'
    throw invalidField(field, 'too_big', message)
  }
}

function bytesOf({ body, text, attachments }: Mail): number {
  const files = (attachments ?? []).reduce((sum, { content }) => sum + content.length, 0)
  return files + Buffer.byteLength(body ?? '') + Buffer.byteLength(text ?? '')
}

/** The same error with its fields, `to.0` or `messages.3.to.0`, named by the service. */
function renamed(error: unknown, nameOf: SendAllOptions['nameOf']): unknown {
  if (!EngineError.is(error) || error.fields.length === 0) return error
  const fields = error.fields.map((each): FieldProblem => {
    const [, place = '0', inner = each.field] = /^messages\.(\d+)\.(.+)$/.exec(each.field) ?? []
    return { ...each, field: nameOf(Number(place), inner) }
  })
  const { code, message, suggestion, retryAfter } = error
  return new EngineError(code, message, {
    fields,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  })
}
