import * as v from 'valibot'
import { readData, SubmittedData } from '../contacts/contact.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { earlierAnswer, idempotencyOf, type Once, takeOnce } from '../intake/idempotency.ts'
import type { KnownContacts } from '../intake/intake.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store.ts'
import { type KeyKind, type Project, requireEnabled } from '../projects/project.ts'
import { References, refuseWhileUsed } from '../references/references.ts'
import { holdersOf, type Uses } from '../references/uses.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import { IsoDate } from '../values/iso-date.ts'
import type { Untrusted } from '../values/json.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse, refused, say } from '../values/parse.ts'
import { turn } from '../values/turn.ts'
import { type EventStat, type EventWithContact, isReservedEvent } from './event.ts'

/** How many events are deleted at once: others write between two batches. */
const BATCH = 2000

const AnyEventName = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

const EventName = v.pipe(
  AnyEventName,
  v.check((name) => !isReservedEvent(name), say('reserved_event', 'is a name only the service itself may use')),
)

const TrackBody = v.object({
  email: EmailAddress,
  event: EventName,
  subscribed: v.nullish(v.boolean()),
  data: v.nullish(SubmittedData),
})

/** The other form of `POST /events/track`: the event under `name`, the contact by id. */
const TrackById = v.object({
  name: EventName,
  contactId: v.optional(v.string()),
  email: v.optional(EmailAddress),
  subscribed: v.nullish(v.boolean()),
  data: v.nullish(SubmittedData),
})

/** The name as it stands in a path; empty is also what a path cannot be decoded to. */
const NamedEvent = v.object({ eventName: AnyEventName })
const DeletableEvent = v.object({ eventName: EventName })

const ListEvents = v.object({ ...CursorQuery.entries, eventName: v.optional(v.string()) })
const EventPeriod = v.object({ startDate: v.optional(IsoDate), endDate: v.optional(IsoDate) })

/** What tracking answers: the contact's and the event's id. */
export type Tracked = { readonly contact: string; readonly event: string; readonly timestamp: string }

/** Where an event is used, and how often it occurred. */
export interface EventUsage extends Uses {
  readonly totalCount: number
  readonly uniqueContacts: number
  /** Whether `remove` would do it. */
  readonly canDelete: boolean
}

export interface TrackOptions {
  /** A public key may end a known contact's subscription, never begin it. Default `secret`. */
  readonly callerKind?: KeyKind
  readonly idempotencyKey?: string | undefined
  /** Whether `{ name, contactId | email, data? }` is taken too, as `POST /events/track` does. Default false. */
  readonly byContactId?: boolean
}

/** What happened to the contacts of a project. */
@injectable()
export class Events {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(References) private readonly references: References,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Records an event of a contact, made here when unknown (subscribed unless said otherwise). `input` is the body of
   * `POST /v1/track`, or with `byContactId` `{ name, contactId | email, data? }`. Throws EngineError `VALIDATION_ERROR`,
   * `CONTACT_NOT_FOUND` (by id), `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`.
   */
  async track(project: Project, input: Untrusted, options: TrackOptions = {}): Promise<Once<Tracked>> {
    requireEnabled(project)
    const now = this.kit.now()
    const { idempotencyKey: key } = options
    const idempotency = key === undefined ? undefined : idempotencyOf(key, 'track', input, now)
    const earlier = await earlierAnswer<Tracked>(this.store.intake, project, idempotency)
    if (earlier) return earlier
    const wanted = readTrack(input, options.byContactId ?? false)
    const change = readData(wanted.data ?? undefined)
    return takeOnce<Tracked>(this.store.intake, {
      projectId: project.id,
      now,
      ...(idempotency ? { idempotency } : {}),
      addresses: wanted.email === undefined ? [] : [wanted.email],
      contactIds: wanted.contactId === undefined ? [] : [wanted.contactId],
      decide: (known) => {
        const { before, email } = who(known, wanted)
        const upsert = {
          projectId: project.id,
          email,
          change,
          subscribed: wanted.subscribed ?? undefined,
          subscribedWhenNew: true,
          maySubscribe: options.callerKind !== 'public',
          reason: 'api',
        } as const
        const { contact, changed, events } = upsertContact(before, upsert, this.kit.newId, now)
        const event = {
          id: this.kit.newId(),
          projectId: project.id,
          name: wanted.event,
          contactId: contact.id,
          data: change.variables,
          createdAt: now,
        }
        return {
          contacts: changed ? [contact] : [],
          emails: [],
          events: [...events, event],
          answer: { contact: contact.id, event: event.id, timestamp: now.toISOString() },
        }
      },
    })
  }

  /** One page of events with their contacts, newest first; `eventName` picks one name. */
  async list(project: Project, query: Untrusted): Promise<Page<EventWithContact>> {
    const { eventName, ...asked } = parse(ListEvents, query)
    return this.#page(project, eventName === undefined ? {} : { name: eventName }, asked)
  }

  /** One page of a contact's events, newest first. Throws EngineError `CONTACT_NOT_FOUND`. */
  async ofContact(project: Project, contactId: string, query: Untrusted): Promise<Page<EventWithContact>> {
    const asked = parse(CursorQuery, query)
    if (!isId(contactId) || !(await this.store.contacts.find(project.id, contactId))) missing(contactId)
    return this.#page(project, { contactId }, asked)
  }

  /** How often each name occurred and when last, most frequent first; `startDate`, `endDate` bound it. */
  async stats(project: Project, query: Untrusted): Promise<readonly EventStat[]> {
    const { startDate: from, endDate: to } = parse(EventPeriod, query)
    return this.store.events.stats(project.id, { ...(from ? { from } : {}), ...(to ? { to } : {}) })
  }

  /** Every event name of the project, most frequent first. */
  async names(project: Project): Promise<readonly string[]> {
    const names = await this.store.events.names(project.id)
    return names.map(({ name }) => name)
  }

  /** Where a name is used and how often it occurred; nowhere and never for one that is unknown. */
  async usage(project: Project, eventName: string): Promise<EventUsage> {
    const { eventName: name } = parse(NamedEvent, { eventName })
    const uses = await this.references.event(project, name)
    const names = await this.store.events.names(project.id)
    return {
      ...uses,
      totalCount: names.find((each) => each.name === name)?.count ?? 0,
      uniqueContacts: await this.store.events.countContacts(project.id, name),
      canDelete: !isReservedEvent(name) && holdersOf(uses).length === 0,
    }
  }

  /**
   * Removes every event of a name, a batch at a time; answers how many those were. When it breaks off, the same call
   * goes on. Throws EngineError `CONFLICT` while something uses the name, `VALIDATION_ERROR` for a reserved one,
   * `PROJECT_DISABLED`.
   */
  async remove(project: Project, eventName: string): Promise<number> {
    requireEnabled(project)
    const { eventName: name } = parse(DeletableEvent, { eventName })
    refuseWhileUsed(`The event ${name}`, await this.references.event(project, name))
    let removed = 0
    for (;;) {
      const batch = await this.store.events.removeNamed(project.id, name, BATCH)
      removed += batch
      if (batch < BATCH) return removed
      await turn()
    }
  }

  async #page(
    project: Project,
    filter: { readonly name?: string; readonly contactId?: string },
    asked: { limit: number; cursor?: string | undefined },
  ): Promise<Page<EventWithContact>> {
    const list = `events:${filter.name ?? ''}:${filter.contactId ?? ''}`
    const rows = await this.store.events.page(project.id, filter, pageRequest(list, asked))
    return pageOf(list, rows, asked.limit, 0, ({ id }) => ({ value: '', id }))
  }
}

type Wanted = Omit<v.InferOutput<typeof TrackById>, 'name'> & { readonly event: string }

function readTrack(input: Untrusted, byContactId: boolean): Wanted {
  const other = typeof input === 'object' && input !== null && 'name' in input && !('event' in input)
  if (!other || !byContactId) return parse(TrackBody, input)
  const { name: event, ...rest } = parse(TrackById, input)
  if (rest.contactId === undefined && rest.email === undefined) {
    throw refused([{ field: 'contactId', code: 'required', message: 'is required when there is no email' }])
  }
  if (rest.contactId !== undefined && !isId(rest.contactId)) missing(rest.contactId)
  return { ...rest, event }
}

function who(known: KnownContacts, { contactId, email }: Wanted) {
  if (contactId !== undefined) {
    const before = known.byId(contactId) ?? missing(contactId)
    return { before, email: before.email }
  }
  return { before: known.byAddress(email ?? ''), email: email ?? '' }
}

function missing(id: string): never {
  throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${id}.`)
}
