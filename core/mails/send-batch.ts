import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ContactsSoFar } from '../contacts/contacts-so-far.ts'
import { EngineError, type ErrorCode, type ErrorKind, type FieldProblem, invalidField } from '../errors.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { KnownContacts, WriteBatchWrites } from '../ports/store/write-batch.ts'
import { fingerprintOf } from '../projects/idempotency.ts'
import { describedBy } from '../values/described.ts'
import type { NewId } from '../values/id.ts'
import type { JsonObject, Untrusted } from '../values/json.ts'
import { Pace } from '../values/pace.ts'
import { parse } from '../values/parse.ts'
import type { WithReact } from '../values/react-element.ts'
import { type Acceptance, acceptance, idsOf, type SendAnswer, weightOf } from './accept.ts'
import { isAnswer } from './answering.ts'
import { SendBody, type SendInput } from './send-request.ts'

/** The most messages in one batch. */
export const MAX_MESSAGES = 500
/** The most recipients of all of them: they are written in one commit, which holds up others. */
const MAX_RECIPIENTS = 1_000

/** Each message is read by itself: reading all of them at once would block everything else. */
const Messages = describedBy(
  v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(MAX_MESSAGES),
    v.transform(() => true),
  ),
  v.pipe(v.array(SendBody), v.minLength(1), v.maxLength(MAX_MESSAGES)),
)

export const SendBatchBody = v.object({
  /** 1 to 500 bodies of `POST /v1/send`, with at most 1,000 recipients in total. */
  messages: Messages,
  /** True: if a message is refused, none is sent, and the answer is its error. */
  allOrNone: v.optional(v.boolean()),
  /** True: all is checked and answered, but nothing is stored or sent. */
  dryRun: v.optional(v.boolean()),
})

/** Messages to send in one commit: the body of `POST /v1/send/batch`. */
export interface SendBatchInput {
  /** 1 to 500 mails, with at most 1,000 recipients in all. */
  readonly messages: readonly (SendInput & WithReact)[]
  /** True: if a message is refused, none is sent, and its error is thrown. */
  readonly allOrNone?: boolean
  /** True: all is checked and answered, but nothing is stored or sent. The ids in the answer belong to no mail. */
  readonly dryRun?: boolean
}

/** Why a message of a batch was refused, as its own send would say. */
export type BatchError = {
  readonly code: ErrorCode
  readonly message: string
  readonly errors?: readonly { readonly [Part in keyof FieldProblem]: FieldProblem[Part] }[]
  readonly suggestion?: string
}

/** The result of one message of a batch. */
export type BatchResult =
  | { readonly success: true; readonly data: SendAnswer }
  | { readonly success: false; readonly error: BatchError }

/** The answer to a batch: a result for each message, in their order. */
export type BatchAnswer = { readonly results: readonly BatchResult[] }

/** A message that is ready to be accepted, or why it is not. */
export type Draft = SoundDraft | BatchError
type SoundDraft = Omit<Acceptance, 'validate'>

/** A batch whose messages are still to be read. */
interface ReadBatch {
  readonly messages: readonly Untrusted[]
  readonly allOrNone: boolean
  readonly dryRun: boolean
}

/** The messages of a batch, each still to be read. Throws EngineError `VALIDATION_ERROR`. */
export function readBatch(input: Untrusted): ReadBatch {
  const { allOrNone = false, dryRun = false } = parse(SendBatchBody, input)
  return { messages: (input as { readonly messages: readonly Untrusted[] }).messages, allOrNone, dryRun }
}

/** Throws the error of the first message that is refused, its fields named within the batch. */
export function requireAll(results: readonly (Draft | BatchResult)[]): void {
  for (const [place, result] of results.entries()) {
    const error =
      'success' in result ? (result.success ? undefined : result.error) : isSound(result) ? undefined : result
    if (error === undefined) continue
    const { code, message, errors = [], suggestion } = error
    throw new EngineError(code, `messages.${place}: ${message}`, {
      fields: errors.map((each) => ({ ...each, field: `messages.${place}.${each.field}` })),
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
}

/** A text that differs when a message or `allOrNone` does; other work on the event loop runs between two messages. */
export async function fingerprintOfAll(messages: readonly Untrusted[], allOrNone: boolean): Promise<string> {
  const hash = createHash('sha256')
  const pace = new Pace()
  for (const message of messages) await pace.run(() => hash.update(fingerprintOf(message)))
  return `${allOrNone ? 'all or none: ' : ''}${hash.digest('hex')}`
}

/** Errors that concern one message of a batch; any other ends the batch. */
const OF_ONE: ReadonlySet<ErrorKind> = new Set(['malformed', 'forbidden', 'missing', 'conflict', 'invalid'])

/** The error of one message. Throws what was thrown if it concerns the whole batch. */
export function batchError(thrown: unknown): BatchError {
  if (!EngineError.is(thrown) || !OF_ONE.has(thrown.kind)) throw thrown
  const { code, message, fields, suggestion } = thrown
  return {
    code,
    message,
    ...(fields.length > 0 ? { errors: fields } : {}),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

export function isSound(draft: Draft): draft is SoundDraft {
  return !('code' in draft)
}

/** Throws EngineError `VALIDATION_ERROR` when the batch has too many recipients. */
export function requireFewRecipients(drafts: readonly Draft[]): void {
  const sum = drafts.filter(isSound).reduce((count, { request }) => count + request.to.length, 0)
  if (sum <= MAX_RECIPIENTS) return
  throw invalidField(
    'messages',
    'too_big',
    `must have at most ${MAX_RECIPIENTS.toLocaleString('en')} recipients in total, not ${sum.toLocaleString('en')}`,
  )
}

/**
 * Decides what a batch writes, each message over the contacts as those before it left them. `learn` is given the values
 * each message is filled in with. Pure.
 */
export function batchAcceptance(
  known: KnownContacts,
  drafts: readonly Draft[],
  newId: NewId,
  learn: (place: number, variables: readonly JsonObject[]) => void = () => {},
): WriteBatchWrites<BatchAnswer> {
  const contacts = new ContactsSoFar(known)
  const contents = new Map<string, MailContent>()
  const emails: Email[] = []
  const events: EventRecord[] = []
  const results = drafts.map((draft, place): BatchResult => {
    if (!isSound(draft)) return { success: false, error: draft }
    try {
      const writes = acceptance(contacts, { ...draft, validate: (all) => learn(place, all) }, newId)
      for (const contact of writes.contacts) contacts.put(contact)
      contents.set(draft.content.id, draft.content)
      emails.push(...writes.emails)
      events.push(...writes.events)
      return { success: true, data: writes.answer }
    } catch (error) {
      return { success: false, error: batchError(error) }
    }
  })
  return { contacts: contacts.changed, contents: [...contents.values()], emails, events, answer: { results } }
}

/** Thrown to write nothing of what was decided. */
export class OnlyAsked extends Error {}

/** The rows that the store reads for a batch before it decides. */
export function needsOf(drafts: readonly Draft[]) {
  const sound = drafts.filter(isSound)
  return {
    addresses: [...new Set(sound.flatMap(({ request }) => request.to.map(({ email }) => email)))],
    weight: sound.reduce((sum, draft) => sum + weightOf(draft), 0),
  }
}

/** The accepted mails of a batch that name others they answer. */
export function answersIn(drafts: readonly Draft[], { results }: BatchAnswer): readonly string[] {
  return results.flatMap((result, place) => {
    const draft = drafts[place]
    return result.success && draft && isSound(draft) && isAnswer(draft.content) ? idsOf(result.data) : []
  })
}
