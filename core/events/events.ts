import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { EventStat, EventWithContact } from '../ports/store/events.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { Once } from '../projects/idempotency.ts'
import { requireEnabled } from '../projects/project.ts'
import { References, refuseWhileUsed } from '../references/references.ts'
import { holdersOf, type Uses } from '../references/uses.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { isOwnEvent } from '../values/event-names.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import type { Untrusted } from '../values/json.ts'
import { knownOptions } from '../values/options.ts'
import type { CursorInput } from '../values/page.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { TOPICS } from '../work/doorbell.ts'
import { inHostTransaction } from '../work/host-transaction.ts'
import { DispatchTrigger } from './dispatch-trigger.ts'
import { AnyEventName, EventName } from './event.ts'
import { ReadEvents } from './read-events.ts'
import type { TrackByIdInput, TrackInput, TrackTools } from './track-event.ts'
import { noContact, TRACK_OPTIONS, type Tracked, type TrackOptions, trackEvent } from './track-event.ts'

/** How many names are listed: any caller that may track can make them up. */
const LISTED_NAMES = 1000

/** How many events are deleted in one transaction: others write between two batches. */
const BATCH = 500

/** The name in a path; a path segment that cannot be decoded is empty, too. */
const NamedEvent = v.object({ eventName: AnyEventName })
const DeletableEvent = v.object({ eventName: EventName })

export const ListEvents = v.object({
  ...CursorQuery.entries,
  /** Only events with this name. */
  eventName: v.optional(v.string()),
})
export const EventPeriod = v.object({
  /** Only events from this time on (ISO 8601). */
  startDate: v.optional(IsoDate),
  /** Only events up to this time (ISO 8601). */
  endDate: v.optional(IsoDate),
})

/** Narrows and pages a list of events. */
export interface ListEventsInput extends CursorInput, Omit<InputOf<typeof ListEvents>, keyof CursorInput> {}

/** The period in which events are counted. */
export interface EventStatsInput extends InputOf<typeof EventPeriod> {}

/** Where an event is used, and how often it occurred. */
export interface EventUsage extends Uses {
  /** How often it happened in all. */
  readonly totalCount: number
  /** To how many different contacts. */
  readonly uniqueContacts: number
  /** Whether `remove` would succeed. */
  readonly canDelete: boolean
}

/** The events of a project's contacts. */
@injectable()
export class Events {
  readonly #read: ReadEvents

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) mails: CompiledMails,
    @inject(References) private readonly references: References,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(DispatchTrigger) private readonly dispatch: DispatchTrigger,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#read = new ReadEvents(store, mails)
  }

  /**
   * Records an event of a contact; an unknown contact is created, subscribed unless the call says otherwise. With a
   * public key and the project's double opt-in, it is subscribed only after it confirmed the mail sent here. `input` is
   * the body of `POST /v1/track`, or with `byContactId` `{ name, contactId | email, data? }`. Throws EngineError
   * `VALIDATION_ERROR`, `CONTACT_NOT_FOUND` (by id), `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`. With `client`, the
   * event is stored in the transaction that is open on it.
   */
  async track(
    project: Project,
    input: TrackInput | TrackByIdInput | UntrustedInput,
    options: TrackOptions = {},
  ): Promise<Once<Tracked>> {
    const tools = {
      store: this.store,
      confirmations: this.subscriptions.confirmations,
      metrics: this.kit.metrics,
      kit: this.kit,
    }
    const { client, ...here } = knownOptions(options, TRACK_OPTIONS)
    if (client !== undefined) return this.#trackWithin(tools, client, project, input, here)
    const once = await trackEvent(tools, project, input, options)
    if (!once.replayed) this.dispatch.ask()
    return once
  }

  /** One page of events with their contacts, newest first; `eventName` narrows it to one name. */
  async list(project: Project, query: ListEventsInput | UntrustedInput = {}): Promise<Page<EventWithContact>> {
    const { eventName, ...asked } = parse(ListEvents, query)
    return this.#page(project, eventName === undefined ? {} : { name: eventName }, asked)
  }

  /** One page of a contact's events, newest first. Throws EngineError `CONTACT_NOT_FOUND`. */
  async ofContact(
    project: Project,
    contactId: string,
    query: CursorInput | UntrustedInput = {},
  ): Promise<Page<EventWithContact>> {
    const asked = parse(CursorQuery, query)
    if (!isId(contactId) || !(await this.store.contacts.find(project.id, contactId))) throw noContact(contactId)
    return this.#page(project, { contactId }, asked)
  }

  /** How often each of the 1,000 most frequent names occurred and when last, from `startDate` to `endDate`. */
  async stats(project: Project, query: EventStatsInput | UntrustedInput = {}): Promise<readonly EventStat[]> {
    const { startDate: from, endDate: to } = parse(EventPeriod, query)
    return this.store.events.stats(project.id, { ...(from ? { from } : {}), ...(to ? { to } : {}) }, LISTED_NAMES)
  }

  /** The event names of the project, most frequent first, at most 1,000. */
  async names(project: Project): Promise<readonly string[]> {
    const names = await this.store.events.names(project.id, LISTED_NAMES)
    return names.map(({ name }) => name)
  }

  /** Where a name is used and how often it occurred; an unknown name is used nowhere. */
  async usage(project: Project, eventName: string): Promise<EventUsage> {
    const { eventName: name } = parse(NamedEvent, { eventName })
    const uses = await this.references.event(project, name)
    return {
      ...uses,
      totalCount: await this.store.events.countNamed(project.id, name),
      uniqueContacts: await this.store.events.countContacts(project.id, name),
      canDelete: !isOwnEvent(name) && holdersOf(uses).length === 0,
    }
  }

  /**
   * Removes every event of a name, batch by batch; answers how many there were. When it is interrupted, the same call
   * continues. Throws EngineError `CONFLICT` while something uses the name, `VALIDATION_ERROR` for a reserved one,
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
      await yieldToLoop()
    }
  }

  async #trackWithin(
    tools: TrackTools,
    client: object,
    project: Project,
    input: Untrusted,
    options: TrackOptions,
  ): Promise<Once<Tracked>> {
    if (options.callerKind === 'public') {
      // double opt-in may ask by mail, and reads the ledger for it
      throw new EngineError('BAD_REQUEST', 'client: a call under a public key cannot be part of a transaction of yours')
    }
    const hosted = { store: this.store, doorbell: this.dispatch.doorbell, kit: this.kit }
    return inHostTransaction(
      hosted,
      client,
      async () => false,
      async ({ store, kit, doorbell }) => {
        const once = await trackEvent({ ...tools, store, kit, metrics: kit.metrics }, project, input, options)
        if (!once.replayed) doorbell.ring(TOPICS.dispatch)
        return once
      },
    )
  }

  async #page(
    project: Project,
    filter: { readonly name?: string; readonly contactId?: string },
    asked: { limit: number; cursor?: string | undefined },
  ): Promise<Page<EventWithContact>> {
    const list = { projectId: project.id, name: `events:${filter.name ?? ''}:${filter.contactId ?? ''}` }
    const rows = await this.#read.page(project.id, filter, pageRequest(list, asked))
    return pageOf(list, rows, asked.limit, 0, ({ id }) => ({ value: '', id }))
  }
}
