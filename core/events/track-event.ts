import * as v from 'valibot'
import { type DataChange, readData, SubmittedData } from '../contacts/contact.ts'
import { requireEventSize, requireRoomForKeys } from '../contacts/data-limits.ts'
import { warnOfMerged, warnOfReturn } from '../contacts/left-contacts.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { KeyKind, Project, PublicData } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { KnownContacts, WriteBatchWrites } from '../ports/store/write-batch.ts'
import { IdempotentRequest, type Once } from '../projects/idempotency.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Confirmation, Confirmations } from '../subscriptions/confirmations.ts'
import { Conflict } from '../values/conflict.ts'
import { EmailAddress } from '../values/email-address.ts'
import { EVENTS } from '../values/event-names.ts'
import { isId, stamp } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import type { Untrusted } from '../values/json.ts'
import { inOneLine } from '../values/one-line.ts'
import { noteWarnings, parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { TRACKING_CONSENTS } from '../values/tracking-consent.ts'
import type { HostOptions } from '../work/host-transaction.ts'
import { EventName } from './event.ts'

export const TrackBody = v.object({
  /** The contact's address; an unknown contact is created. */
  email: EmailAddress,
  /** The name of the event; `email.*` and some others are reserved for the service. */
  event: EventName,
  /** Whether the contact is subscribed from now on. Without it a new contact is, and a known one stays unchanged. */
  subscribed: v.nullish(v.boolean()),
  /** Which of the contact's openings and clicks may be recorded from now on. */
  tracking: v.nullish(v.picklist(TRACKING_CONSENTS)),
  /** The event's data; also stored with the contact, except `{ value, persistent: false }`. */
  data: v.nullish(SubmittedData),
})

/** The other form of `POST /events/track`: the event under `name`, the contact by id. */
const TrackById = v.object({
  /** The name of the event. */
  name: EventName,
  /** The contact's id. */
  contactId: v.optional(v.string()),
  /** The contact's address, instead of the id. */
  email: v.optional(EmailAddress),
  /** Whether the contact is subscribed from now on. */
  subscribed: v.nullish(v.boolean()),
  /** Which of its openings and clicks may be recorded from now on. */
  tracking: v.nullish(v.picklist(TRACKING_CONSENTS)),
  /** The event's data; also stored with the contact, except `{ value, persistent: false }`. */
  data: v.nullish(SubmittedData),
})

/** The body of `POST /events/track`, in either form. */
export const TrackAnyBody = v.union([TrackBody, TrackById])

/** An event of a contact given by its address. */
export interface TrackInput extends InputOf<typeof TrackBody> {}

/** An event of a contact given by its id or its address; accepted with the option `byContactId`. */
export interface TrackByIdInput extends InputOf<typeof TrackById> {}

/** The answer of tracking: the contact's and the event's id. */
export type Tracked = { readonly contact: string; readonly event: string; readonly timestamp: string }

export interface TrackOptions extends HostOptions {
  /**
   * A public key may end a known contact's subscription and reduce its tracking, never the reverse; with the project's
   * double opt-in, contacts it creates are subscribed when they confirm. Default `secret`.
   */
  readonly callerKind?: KeyKind
  /** 1 to 255 printable ASCII characters: the same key and input within 24 hours is tracked once. */
  readonly idempotencyKey?: string | undefined
  /** Whether `{ name, contactId | email, data? }` is accepted too, as `POST /events/track` does. Default false. */
  readonly byContactId?: boolean
}

export const TRACK_OPTIONS = { client: true, callerKind: true, idempotencyKey: true, byContactId: true } as const

/** The tools that tracking needs. */
export interface TrackTools {
  readonly store: Store
  readonly confirmations: Confirmations
  readonly metrics: Metrics
  readonly kit: Kit
}

/** Records an event of a contact, creating an unknown one; see `Events.track`. */
export async function trackEvent(
  { store, confirmations, metrics, kit }: TrackTools,
  project: Project,
  input: Untrusted,
  options: TrackOptions,
): Promise<Once<Tracked>> {
  requireEnabled(project)
  const now = kit.now()
  const { idempotencyKey: key, callerKind, byContactId = false } = options
  const operation = byContactId ? 'events.track' : 'track'
  const request = IdempotentRequest.of<Tracked>(store.writeBatch, { project, key, operation, callerKind, input, now })
  const earlier = await request.earlier()
  if (earlier) {
    noteWarnings(bodyOf(input, byContactId), input)
    return earlier
  }
  const isPublic = callerKind === 'public'
  const wanted = readTrack(input, byContactId)
  if (isPublic) requirePublicName(wanted.event, project)
  const doubleOptIn = isPublic && wanted.subscribed !== false ? project.doubleOptIn : undefined
  const change = readData(wanted.data ?? undefined)
  requireEventSize(change.variables)
  const { turns } = confirmations
  let confirmation: Confirmation | undefined
  /** Whether the contact may be mailed, once that is known. */
  let turn: 'taken' | 'none' | undefined
  let unknown: Contact | 'new' | undefined

  /** Whether to ask the contact for confirmation by mail; `before` is the stored contact, if any. */
  const mustAsk = (before: Contact | undefined): boolean => {
    if (!doubleOptIn || before?.subscribed) return false
    if (turn !== undefined) return turn === 'taken'
    // the decision must not wait, and how often mailbox and contact were asked stands in the store
    unknown = before ?? 'new'
    throw new Conflict()
  }

  /** Counts the mail to the contact, unless it is not to be asked. */
  const takeTurn = async (before: Contact | 'new'): Promise<'taken' | 'none'> => {
    if (before !== 'new') {
      const asked = await confirmations.asked(before)
      // a contact that unsubscribed is asked again only on an explicit request, not by every event of a visitor
      const wants = wanted.subscribed === true || asked.unanswered > 0
      if (!wants || !confirmations.mayAsk(asked)) return 'none'
    }
    const recipient = before === 'new' ? { projectId: project.id, email: wanted.email ?? '' } : before
    if (!(await turns.take(store, recipient, now))) return 'none'
    if (await turns.reserve(project.id, 'confirmation', now)) return 'taken'
    await turns.giveBack(store, recipient)
    return 'none'
  }

  const decide = (known: KnownContacts): WriteBatchWrites<Tracked> => {
    const { before, email } = who(known, wanted)
    const isAsked = mustAsk(before)
    requireRoomForKeys(known.publicDataKeys)
    const allowed = isPublic ? allowedOf(change, before, project.publicData) : change
    const { contact, changed, events } = upsertContact(
      before,
      {
        projectId: project.id,
        email,
        change: allowed,
        subscribed: before || !doubleOptIn ? (wanted.subscribed ?? undefined) : false,
        subscribedWhenNew: true,
        tracking: wanted.tracking ?? undefined,
        trackingWhenNew: project.trackingConsent,
        mayWiden: !isPublic,
        reason: 'api',
        source: 'track',
      },
      kit.newId,
      now,
    )
    if (!isPublic) {
      warnOfMerged(input, email, before)
      warnOfReturn(input, before, wanted.subscribed)
    }
    confirmation = isAsked && doubleOptIn ? confirmations.mail(project, doubleOptIn, contact, now) : undefined
    const event = {
      ...stamp(kit.newId),
      projectId: project.id,
      name: wanted.event,
      contactId: contact.id,
      data: change.variables,
    }
    return {
      contacts: changed ? [contact] : [],
      contents: confirmation ? [confirmation.content] : [],
      emails: confirmation ? [confirmation.email] : [],
      events: [...events, event],
      answer: { contact: contact.id, event: event.id, timestamp: event.createdAt.toISOString() },
    }
  }

  const take = () =>
    request.commit({
      addresses: wanted.email === undefined ? [] : [wanted.email],
      contactIds: wanted.contactId === undefined ? [] : [wanted.contactId],
      ...(isPublic ? { publicDataKeys: [...change.set.keys()] } : {}),
      weight: change.set.size,
      decide,
    })
  const giveBack = async () => {
    if (turn !== 'taken' || !unknown) return
    const recipient = unknown === 'new' ? { projectId: project.id, email: wanted.email ?? '' } : unknown
    await turns.giveBack(store, recipient)
    await turns.release(project.id, 'confirmation')
  }
  const begun = performance.now()
  const once = await take().catch(async (error) => {
    if (!unknown || !Conflict.is(error, 'again')) throw error
    turn = await takeTurn(unknown)
    return take().catch(async (error) => {
      confirmation = undefined
      await giveBack()
      throw error
    })
  })
  if (!confirmation || once.replayed) await giveBack()
  if (!once.replayed) metrics.committed('track', performance.now() - begun)
  if (confirmation && !once.replayed) confirmations.send()
  return once
}

/** The changes that a public key may make to a contact's data, with each text in one line. */
function allowedOf(change: DataChange, before: Contact | undefined, publicData: PublicData): DataChange {
  const isFree = before === undefined || publicData === 'all'
  const isNew = (key: string) => publicData === 'new' && !Object.hasOwn(before?.data ?? {}, key)
  const set = [...change.set]
    .filter(([key]) => isFree || isNew(key))
    .map(([key, value]) => [key, inOneLine(value)] as const)
  return { ...change, set: new Map(set), unset: isFree ? change.unset : new Set() }
}

type Wanted = Omit<v.InferOutput<typeof TrackById>, 'name'> & { readonly event: string }

function bodyOf(input: Untrusted, byContactId: boolean): typeof TrackBody | typeof TrackById {
  const other = typeof input === 'object' && input !== null && 'name' in input && !('event' in input)
  return other && byContactId ? TrackById : TrackBody
}

function readTrack(input: Untrusted, byContactId: boolean): Wanted {
  if (bodyOf(input, byContactId) === TrackBody) return parse(TrackBody, input)
  const { name: event, ...rest } = parse(TrackById, input, ({ contactId, email }) =>
    contactId === undefined && email === undefined
      ? [{ field: 'contactId', code: 'required', message: 'is required when there is no email' }]
      : [],
  )
  if (rest.contactId !== undefined && !isId(rest.contactId)) throw noContact(rest.contactId)
  return { ...rest, event }
}

/**
 * Events of the engine start workflows, and `webhook.…` may count as caused by a webhook: strangers must not forge them. A
 * project that tracked `contact.created` before the engine did goes on.
 */
function requirePublicName(event: string, { tracksCreated = false }: Project): void {
  const isEngines = event.startsWith('webhook.') || OF_ENGINE.has(event)
  if (!isEngines || (tracksCreated && event === EVENTS.created)) return
  throw invalidField('event', 'reserved_event', 'is a name only a secret key may track')
}

const OF_ENGINE: ReadonlySet<string> = new Set(Object.values(EVENTS))

function who(known: KnownContacts, { contactId, email }: Wanted) {
  if (contactId === undefined) return { before: known.byAddress(email ?? ''), email: email ?? '' }
  const before = known.byId(contactId)
  if (!before) throw noContact(contactId)
  return { before, email: before.email }
}

export function noContact(id: string): EngineError {
  return new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(id)}.`)
}
