import * as v from 'valibot'
import type { RefusalClass, RefusalWhy } from '../ports/feedback-report.ts'
import type { SourceType } from '../ports/store/emails.ts'
import type { ContactEvent, EventRecord } from '../ports/store/events.ts'
import type { SubmissionOutcome } from '../ports/store/forms.ts'
import type { Folder } from '../ports/store/threads.ts'
import { CONTACT_SOURCES, type ContactSource } from '../values/contact-source.ts'
import { EVENTS, isOwnEvent } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'
import { nearest } from '../values/nearest.ts'
import { refused } from '../values/parse.ts'
import type { SubscriptionReason } from '../values/subscription-reason.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'
import { AnyEventName } from './event.ts'
import { matches } from './event-pattern.ts'

/** The data of every event about a mail of yours. */
export interface MailEventData {
  /** The subject as it was sent; empty once the values it was made with are removed. */
  readonly subject: string
  /** The sender's address. */
  readonly from: string
  /** The sender's name; empty without one. */
  readonly fromName: string
  /** The Message-ID, with angle brackets. */
  readonly messageId: string
  /** The id of the e-mail record. */
  readonly emailId: string
  /** The template that it was made from. */
  readonly templateId: string | null
  /** The campaign that it belongs to. */
  readonly campaignId: string | null
  /** The kind of thing that sent it. */
  readonly sourceType: SourceType
}

/** The data of `email.sent`. */
export interface SentData extends MailEventData {
  /** When the next hop accepted it (ISO 8601). */
  readonly sentAt: string
}

/** The data of `email.delivery`. */
export interface DeliveryData extends MailEventData {
  /** When it was delivered (ISO 8601). */
  readonly deliveredAt: string
  /** True when it was only written to a folder, since no mail server was set. */
  readonly toFolder?: boolean
}

/** The data of `email.open`. */
export interface OpenData extends MailEventData {
  /** When it was opened (ISO 8601). */
  readonly openedAt: string
  /** How often by now. */
  readonly opens: number
  /** Whether this is the first time. */
  readonly isFirstOpen: boolean
  /** True when a machine opened it, such as a scanner. */
  readonly machine?: true
}

/** The data of `email.click`. */
export interface ClickData extends MailEventData {
  /** Where the link leads. */
  readonly link: string
  /** When it was clicked (ISO 8601). */
  readonly clickedAt: string
  /** How often by now. */
  readonly clicks: number
  /** Whether this is the first click in the mail. */
  readonly isFirstClick: boolean
  /** True when a machine followed it, such as a scanner. */
  readonly machine?: true
}

/** The data of `email.bounce`. */
export interface BounceData extends MailEventData {
  /** `Permanent` when the address takes no mail; it is then suppressed. */
  readonly bounceType: 'Permanent' | 'Transient'
  /** The same as a flag. */
  readonly transientBounce: boolean
  /** When it bounced (ISO 8601); of permanent bounces. */
  readonly bouncedAt?: string
  /** The kind of refusal, as far as it is known. */
  readonly bounceClass?: RefusalClass
  /** The enhanced status code, such as `5.1.1`. */
  readonly bounceStatus?: string
  /** The server's reply. */
  readonly diagnostic?: string
  /** Why it has this class: where the reason was found, which one it is, and its words. */
  readonly why?: RefusalWhy
}

/** The data of `email.complaint`. */
export interface ComplaintData extends MailEventData {
  /** When the recipient reported the mail as spam (ISO 8601). */
  readonly complainedAt: string
  /** The kind of report, as far as it is known. */
  readonly bounceClass?: RefusalClass
  /** A status code that the report had. */
  readonly bounceStatus?: string
  /** The words of the report. */
  readonly diagnostic?: string
}

/** The data of `email.replied`: what was answered, and the answer. */
export interface RepliedData {
  /** The id of the e-mail record that was answered. */
  readonly emailId: string
  /** The campaign of the mail that was answered. */
  readonly campaignId: string | null
  /** The template of the mail that was answered. */
  readonly templateId: string | null
  /** The kind of thing that sent the mail that was answered. */
  readonly sourceType: SourceType
  /** The subject of the answer. */
  readonly subject: string
  /** The address that answered. */
  readonly from: string
  /** The name beside that address; empty without one. */
  readonly fromName: string
  /** The Message-ID of the answer. */
  readonly messageId: string
  /** The id of the answer's e-mail record. */
  readonly replyId: string
  /** When it came (ISO 8601). */
  readonly repliedAt: string
}

/** The data of `email.received`, see `docs/inbound.md`. What is too long for an event (32 KB) is cut. */
export interface ReceivedData {
  /** The id of the e-mail record. */
  readonly emailId: string
  /** The Message-ID that it came with. */
  readonly messageId: string
  /** The author's address. */
  readonly from: string
  /** The author's name; empty without one. */
  readonly fromName: string
  /** The addresses of the project that it was sent to. */
  readonly to: readonly string[]
  /** The subject. */
  readonly subject: string
  /** The plain text. */
  readonly text: string
  /** The HTML; empty without one. */
  readonly html: string
  /** The header, by names in lower case; a list for a field that occurs several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The attached files. */
  readonly attachments: readonly ReceivedAttachment[]
  /** The result of SPF (RFC 8601): `pass`, `fail`, `softfail`, `neutral`, `none`, `temperror`, `permerror`. */
  readonly spf: string
  /** The result of DKIM; also `policy`, for a signature that counts for nothing. */
  readonly dkim: string
  /** The result of DMARC. */
  readonly dmarc: string
  /** The mail of yours that it answers. */
  readonly inReplyTo: string | null
  /** Whether a program wrote it. */
  readonly autoReply: boolean
  /** Whether parts were left out because they are too long. */
  readonly truncated: boolean
  /** When it came (ISO 8601). */
  readonly receivedAt: string
  /** As of every received mail. */
  readonly sourceType: 'INBOUND'
}

/** A file that came with a mail. */
export interface ReceivedAttachment {
  /** Its name. */
  readonly filename: string
  /** Its media type, such as `application/pdf`. */
  readonly contentType: string
  /** The id under which the HTML shows it (`cid:…`), where it has one. */
  readonly contentId?: string
  /** How many bytes it has. */
  readonly size: number
  /** Where it can be had, without a login; null without a public address of the server. */
  readonly url: string | null
}

/** The data of `contact.created`. */
export interface CreatedData {
  /** Whether the contact is subscribed. */
  readonly subscribed: boolean
  /** By which way it came in. */
  readonly source: ContactSource
}

/** The data of `contact.subscribed` and `contact.unsubscribed`. */
export interface SubscriptionData {
  /** Whether the contact is subscribed now. */
  readonly subscribed: boolean
  /** The cause of the change. */
  readonly reason: SubscriptionReason
  /** The form, when one did. */
  readonly formId?: string
  /** The topic, when it is about one. */
  readonly topicId?: string
  /** The slug of that topic. */
  readonly topic?: string
}

/** The data of `contact.tracking`. */
export interface TrackingData {
  /** The consent to tracking now. */
  readonly tracking: TrackingConsent
  /** The consent before. */
  readonly before: TrackingConsent
  /** The cause of the change. */
  readonly reason: SubscriptionReason
}

/** The data of `contact.merged`, an event of the contact that is left. */
export interface MergedData {
  /** The contact that is left. */
  readonly keptId: string
  /** Its address. */
  readonly keptEmail: string
  /** The contact that is gone. */
  readonly mergedId: string
  /** The address that it had, which stands for the other one now. */
  readonly mergedEmail: string
}

/** The data of `form.submitted`. */
export interface FormSubmittedData {
  /** The form. */
  readonly formId: string
  /** Its name. */
  readonly form: string
  /** The answers, by the keys of its fields. */
  readonly answers: JsonObject
  /** The result, such as `subscribed`. */
  readonly outcome: SubmissionOutcome
}

/** The data of `inbox.message.received`. It has no words of the mail: a request reads them. */
export interface InboxMessageData {
  /** The inbox. */
  readonly inboxId: string
  /** The thread that the message was filed in. */
  readonly threadId: string
  /** The id of the e-mail record. */
  readonly emailId: string
  /** The folder of the thread. */
  readonly folder: Folder
  /** Whether a program wrote it. */
  readonly automatic: boolean
}

/** The data of `inbox.thread.updated`. */
export interface InboxThreadData {
  /** The inbox. */
  readonly inboxId: string
  /** The thread. */
  readonly threadId: string
  /** The changed parts: `folder`, `labels`, `assigneeId`, `merged`, `split`. */
  readonly changes: readonly string[]
  /** The folder now. */
  readonly folder: Folder
  /** The labels now. */
  readonly labels: readonly string[]
  /** The user who takes care of it now. */
  readonly assigneeId: string | null
  /** How many messages it has now. */
  readonly messageCount: number
  /** The thread that was merged into this one and is gone, or that was split from it. */
  readonly otherThreadId?: string
}

/** The data of `inbox.draft.waiting`, `approved`, `refused`, `sent`, `undone` and `removed`. */
export interface InboxDraftData {
  /** The inbox. */
  readonly inboxId: string
  /** The draft. */
  readonly draftId: string
  /** The thread that it belongs to; null for a new one, until it is sent. */
  readonly threadId: string | null
  /** The id of the user or the key that began it. */
  readonly authorId: string | null
  /** The version of the draft. */
  readonly version: number
  /** The e-mail record that it became, once it is sent; of `undone` the one that was taken back. */
  readonly emailId: string | null
  /** When the mail goes out (ISO 8601), once it is sent. */
  readonly sendAt: string | null
}

/** The data of `segment.<slug>.entry` and `segment.<slug>.exit`. */
export interface SegmentData {
  /** The segment. */
  readonly segmentId: string
  /** Its name. */
  readonly segmentName: string
}

/** The data of each event of the engine, by its name. */
export interface EngineEventData {
  readonly [EVENTS.sent]: SentData
  readonly [EVENTS.delivery]: DeliveryData
  readonly [EVENTS.open]: OpenData
  readonly [EVENTS.click]: ClickData
  readonly [EVENTS.bounce]: BounceData
  readonly [EVENTS.complaint]: ComplaintData
  readonly [EVENTS.received]: ReceivedData
  readonly [EVENTS.replied]: RepliedData
  readonly [EVENTS.created]: CreatedData
  readonly [EVENTS.subscribed]: SubscriptionData
  readonly [EVENTS.unsubscribed]: SubscriptionData
  readonly [EVENTS.tracking]: TrackingData
  readonly [EVENTS.merged]: MergedData
  readonly [EVENTS.formSubmitted]: FormSubmittedData
  readonly [EVENTS.inboxMessage]: InboxMessageData
  readonly [EVENTS.inboxThread]: InboxThreadData
  readonly [EVENTS.inboxDraftWaiting]: InboxDraftData
  readonly [EVENTS.inboxDraftApproved]: InboxDraftData
  readonly [EVENTS.inboxDraftRefused]: InboxDraftData
  readonly [EVENTS.inboxDraftSent]: InboxDraftData
  readonly [EVENTS.inboxDraftUndone]: InboxDraftData
  readonly [EVENTS.inboxDraftRemoved]: InboxDraftData
}

/** The name of an event of the engine; those of segments have the segment's slug. */
export type EngineEventName = keyof EngineEventData | `segment.${string}.entry` | `segment.${string}.exit`

/** An event of the engine with the data of its name. */
export type EngineEvent<Name extends EngineEventName = EngineEventName> = Name extends keyof EngineEventData
  ? Named<Name, EngineEventData[Name]>
  : Named<Name, SegmentData>

/** An event that the app tracked. */
export type TrackedEvent = ContactEvent

type Named<Name extends string, Data> = Omit<
  Name extends MaybeOfStranger ? EventRecord : ContactEvent,
  'name' | 'data'
> & {
  /** The name of the event. */
  readonly name: Name
  /** Its data, by its name. */
  readonly data: Data
}

/** The events that may come from an address that is no contact. */
type MaybeOfStranger = typeof EVENTS.received | typeof EVENTS.replied | `inbox.${string}`

/**
 * A pattern of events to listen to: an event of the engine, all that begin alike (`email.*`), all events (`*`), or with
 * `event:` those that the app itself tracks (`event:signed_up`, `event:order.*`, `event:*`).
 */
export type ListenPattern =
  | EngineEventName
  | '*'
  | 'email.*'
  | 'contact.*'
  | 'form.*'
  | 'inbox.*'
  | 'segment.*'
  | `segment.${string}.*`
  | `event:${string}`

/** The events that a pattern is for. */
export type EventOf<Pattern extends ListenPattern> = Pattern extends '*'
  ? EngineEvent | TrackedEvent
  : Pattern extends `event:${string}`
    ? TrackedEvent
    : Pattern extends `segment.${string}`
      ? EngineEvent<`segment.${string}.entry`> | EngineEvent<`segment.${string}.exit`>
      : Pattern extends `${infer Group}.*`
        ? EngineEvent<Extract<keyof EngineEventData, `${Group}.${string}`>>
        : Pattern extends keyof EngineEventData
          ? EngineEvent<Pattern>
          : never

const TRACKED = 'event:'
/** Those that are not stored, and go to endpoints alone. */
const OF_ENDPOINTS: ReadonlySet<string> = new Set([
  EVENTS.webhookTest,
  EVENTS.webhookPaused,
  EVENTS.formAttacked,
  EVENTS.domainAlerted,
  EVENTS.caught,
])
const NAMES: readonly string[] = Object.values(EVENTS).filter((name) => !OF_ENDPOINTS.has(name))
const GROUPS = ['*', 'email.*', 'contact.*', 'form.*', 'inbox.*', 'segment.*']
const OF_SEGMENTS = /^segment\.[^*]+\.(entry|exit|\*)$/

/** Throws EngineError `VALIDATION_ERROR` on `pattern` for what is no ListenPattern, with what was probably meant. */
export function requireListenPattern(pattern: string): void {
  const message = patternProblem(pattern)
  if (message) throw refused([{ field: 'pattern', code: 'custom', message }])
}

/** Whether an event fits the pattern. */
export function isFor(pattern: string, { name, data }: Pick<EventRecord, 'name' | 'data'>): boolean {
  if (!pattern.startsWith(TRACKED)) return matches(pattern, name)
  return !isOwnEvent(name) && !isOfCreated(name, data) && matches(pattern.slice(TRACKED.length), name)
}

/** Whether an event says that a contact came in; programs may track others of this name. */
function isOfCreated(name: string, { source, subscribed }: JsonObject): boolean {
  return name === EVENTS.created && typeof subscribed === 'boolean' && CONTACT_SOURCES.some((each) => each === source)
}

function patternProblem(pattern: string): string | undefined {
  if (typeof pattern !== 'string') return 'must be the name of an event'
  if (pattern.startsWith(TRACKED)) {
    const name = pattern.slice(TRACKED.length)
    const isName = v.is(AnyEventName, name) && (name === '*' || !name.replace(/\.\*$/, '').includes('*'))
    if (!isName) return 'must be event: and the name of an event of yours, * or a beginning such as order.*'
    return isOwnEvent(name) ? `is an event of the engine: write ${name}` : undefined
  }
  if (NAMES.includes(pattern) || GROUPS.includes(pattern) || OF_SEGMENTS.test(pattern)) return undefined
  const meant = nearest(pattern, [...NAMES, ...GROUPS])
  const tip = meant ? ` (did you mean ${meant}?)` : ''
  return `is no event of the engine${tip}; an event that you track is event:${pattern.slice(0, 255)}`
}

/** A listener of `Engine.on`; when it answers a promise, the next event waits for that. */
export type EngineListener<Pattern extends ListenPattern = '*'> = (event: EventOf<Pattern>) => unknown
