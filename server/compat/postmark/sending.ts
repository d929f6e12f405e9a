import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import type { Untrusted } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { bareAddress } from '../kit/addresses.ts'
import { nameBy } from '../kit/renamed.ts'
import { idOf } from '../kit/send-all.ts'
import { suppressedAmong } from '../kit/suppressed.ts'
import { typedApi } from '../kit/typed-api.ts'
import { FIELDS, type Read, readMessage, readTemplated } from './message.ts'
import { type PostmarkError, refusal } from './refusal.ts'

const MEGABYTE = 1024 * 1024
/** The most messages of a batch. */
const MAX_MESSAGES = 500

const SENDS =
  'a mail needs a subject; of `To` and its copies at most 20 are in `Cc` and 20 in `Bcc`; `Metadata` and `Tag` become tags; openings and clicks are counted together, and not at all when `TrackOpens` or `TrackLinks` switches one of them off; `MessageStream` is `outbound`: marketing mail goes out as a [campaign](campaigns.md) or from a marketing template; a key that may only send is not told of inactive recipients'
const BY_TEMPLATE = `\`TemplateAlias\` or \`TemplateId\` is the slug or the id of a [template](templates.md) here, whose placeholders are filled in from \`TemplateModel\`; \`InlineCss\` is the template's own setting; ${SENDS}`

const Messages = v.object({ Messages: v.array(v.unknown()) })

/** Sending. */
export const sending: readonly ForeignEndpoint[] = [
  single('/email', ['sendEmail'], SENDS, readMessage),
  single('/email/withTemplate', ['sendEmailWithTemplate'], BY_TEMPLATE, readTemplated),
  several('/email/batch', ['sendEmailBatch'], SENDS, readMessage, (body) => parse(Messages, { Messages: body })),
  several('/email/batchWithTemplates', ['sendEmailBatchWithTemplates'], BY_TEMPLATE, readTemplated, (body) =>
    parse(Messages, body),
  ),
]

/** Reads a message of a request. */
type Reading = (input: Untrusted) => Read

function single(path: string, methods: readonly string[], difference: string, reading: Reading): ForeignEndpoint {
  return {
    method: 'POST',
    path,
    methods,
    difference,
    body: 'json',
    bodyLimit: 50 * MEGABYTE,
    keepsKey: true,
    fields: FIELDS,
    async answer({ body }, ours) {
      const read = reading(body)
      const inactive = await suppressedAmong(ours, addressesOf(read))
      const { data } = await typedApi(ours).call('sendMail', { body: read.mail })
      const answer = answerOf(read, inactive, data.emails[0]?.email, data.timestamp)
      return { status: answer.ErrorCode === 0 ? 200 : 422, body: answer }
    },
  }
}

function several(
  path: string,
  methods: readonly string[],
  difference: string,
  reading: Reading,
  messagesOf: (body: Untrusted) => { readonly Messages: readonly Untrusted[] },
): ForeignEndpoint {
  return {
    method: 'POST',
    path,
    methods,
    difference: `at most 20 MB in all; ${difference}`,
    body: 'json',
    bodyLimit: 20 * MEGABYTE,
    keepsKey: true,
    fields: FIELDS,
    async answer({ body }, ours) {
      const { Messages: messages } = messagesOf(body)
      if (messages.length > MAX_MESSAGES) throw tooMany()
      return {
        status: 200,
        body: await sendEach(
          messages.map((message) => attempt(reading, message)),
          ours,
        ),
      }
    },
  }
}

/** Sends the messages that are understood. Answers for each of them, and for the others, in their order. */
async function sendEach(attempts: readonly (Read | PostmarkError)[], ours: OurApi): Promise<readonly object[]> {
  const sound = attempts.filter((each) => 'mail' in each)
  if (sound.length === 0) return attempts
  const inactive = await suppressedAmong(ours, sound.flatMap(addressesOf))
  const { data } = await typedApi(ours).call('sendBatch', { body: { messages: sound.map(({ mail }) => mail) } })
  const results = data.results.values()
  return attempts.map((each) => {
    if (!('mail' in each)) return each
    const result = results.next().value
    if (result === undefined) throw new Error('A message has no result.')
    if (!result.success) return errorOf({ fields: result.error.errors ?? [], ...result.error })
    return answerOf(each, inactive, idOf(result), result.data.timestamp)
  })
}

function attempt(reading: Reading, message: Untrusted): Read | PostmarkError {
  try {
    return reading(message)
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return errorOf(error)
  }
}

interface RefusedMessage {
  readonly code: string
  readonly message: string
  readonly fields: readonly { readonly field: string; readonly code: string; readonly message: string }[]
  readonly suggestion?: string | undefined
}

/** The error of one message of a batch. */
function errorOf({ code, message, fields, suggestion }: RefusedMessage): PostmarkError {
  const named = fields.map((each) => ({ ...each, field: nameBy(FIELDS, each.field) }))
  const more = suggestion === undefined ? {} : { suggestion }
  return refusal({ status: 422, code, message, fields: named, requestId: '', ...more }).body
}

/** The answer to an accepted message; one whose recipients are all inactive goes to none of them. */
function answerOf(read: Read, inactive: ReadonlySet<string>, id: string | undefined, at: string) {
  const addresses = addressesOf(read)
  const found = addresses.filter((address) => inactive.has(address))
  if (found.length > 0 && found.length === addresses.length) {
    const said = `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${found.join(', ')}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`
    return { ErrorCode: 406, Message: said }
  }
  const message =
    found.length === 0 ? 'OK' : `Message OK, but will not deliver to these inactive addresses: ${found.join(', ')}.`
  return { ...read.named, SubmittedAt: at, MessageID: id, ErrorCode: 0, Message: message }
}

function addressesOf({ recipients }: Read): readonly string[] {
  return [...new Set(recipients.flatMap((entry) => bareAddress(entry) ?? []))]
}

function tooMany(): EngineError {
  return invalidField('Messages', 'too_big', `must be at most ${MAX_MESSAGES} messages`)
}
