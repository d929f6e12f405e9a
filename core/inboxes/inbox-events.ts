import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { DispatchTrigger } from '../events/dispatch-trigger.ts'
import type { Kit } from '../kit.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import type { InboxEvent } from '../ports/store/inbox-events.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { ENGINE } from '../templates/versions.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { pause } from '../values/pause.ts'
import { isSeenBy, namedInbox, readerOf } from './inbox.ts'

/** How many events are read at once. */
const BATCH = 100
/** How often the store is asked for events of other processes while there are followers, in milliseconds. */
const LOOK_MS = 500
/** How often it is looked whether a follower may still see its inbox, in milliseconds. */
const CHECK_MS = 2_000
/** After how long without an event a follower gets an empty batch, in milliseconds. */
const QUIET_MS = 15_000
/** After how long a follower is sent away, to come back with what proves who it is, in milliseconds. */
const LONGEST_MS = 30 * 60_000
/** For how long a list waits for its first event, in seconds: proxies give up after 30. */
const LONGEST_WAIT = 20
/** How many followers one process has, for one reader in one inbox, and for one inbox. */
const MOST = { all: 1_000, ofReader: 5, ofInbox: 50 }
/** When a follower that was refused may try again, in seconds. */
const RETRY_SECONDS = 10

export const ListInboxEvents = v.object({
  /** The number of the last event that is known: those after it are answered, the oldest first. By default 0. */
  after: v.optional(wholeNumber(0, 2_147_483_647)),
  /** How many at most, 1 to 100, by default 100. */
  limit: v.optional(wholeNumber(1, BATCH), BATCH),
  /** For how many seconds to wait for the first when there is none, 0 to 20, by default 0. */
  wait: v.optional(wholeNumber(0, LONGEST_WAIT), 0),
})

/** Which events of an inbox. */
export interface ListInboxEventsInput extends InputOf<typeof ListInboxEvents> {}

/** Events of an inbox, the oldest first. */
export interface InboxEventList {
  /** The events. */
  readonly items: readonly InboxEvent[]
  /** The number to go on after. */
  readonly last: number
  /** Whether there are more. */
  readonly hasMore: boolean
  /** Whether events after the given number are no longer kept. */
  readonly lost: boolean
}

/** The events of an inbox from a place on. */
export interface FollowedInbox {
  /** The number of the event that it begins after. */
  readonly from: number
  /** Whether events after the given number are no longer kept. */
  readonly lost: boolean
  /**
   * The events in their order, some at a time as they come; an empty list after 15 seconds without one. It ends when the
   * follower may no longer see the inbox, when the engine stops, and after half an hour.
   */
  readonly batches: AsyncIterableIterator<readonly InboxEvent[]>
}

/** The events of inboxes, in the order in which they were committed. `by` is who asks: see `Inboxes`. */
export class InboxEvents {
  readonly #followers = new Set<Follower>()
  readonly #log: LimitedLog
  #looking: Promise<void> | undefined
  #isAskedAgain = false
  #timer: NodeJS.Timeout | undefined
  #checked = 0
  #isEnded = false

  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
    dispatch: DispatchTrigger,
  ) {
    this.#log = new LimitedLog(kit.log, 1)
    dispatch.onAsk(() => this.look())
  }

  /**
   * The events after a number, the oldest first; with `wait`, as soon as there is one. Throws EngineError
   * `VALIDATION_ERROR`, `INBOX_NOT_FOUND`; with `wait` as `follow`.
   */
  async list(
    project: Project,
    inboxId: string,
    query: ListInboxEventsInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<InboxEventList> {
    const { after = 0, limit, wait } = parse(ListInboxEvents, query)
    const inbox = await namedInbox(this.store, project.id, inboxId, by)
    const [there, lost] = await this.#after(inbox, after, limit + 1)
    const read = there.length > 0 || wait === 0 ? there : await this.#first(project, inboxId, after, wait, by)
    const items = read.slice(0, limit)
    return { items, last: items.at(-1)?.number ?? after, hasMore: read.length > limit, lost }
  }

  /**
   * Follows an inbox: after a number, or from now on. Throws EngineError `VALIDATION_ERROR`, `INBOX_NOT_FOUND`,
   * `RATE_LIMIT_EXCEEDED` when too many follow it, `SERVICE_UNAVAILABLE` once the engine stops.
   */
  async follow(
    project: Project,
    inboxId: string,
    query: ListInboxEventsInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<FollowedInbox> {
    const { after } = parse(ListInboxEvents, query)
    const inbox = await namedInbox(this.store, project.id, inboxId, by)
    const last = inbox.lastEvent ?? 0
    // a number from another life of the inbox, such as before a backup was restored: all that is kept
    const known = after === undefined ? last : after > last ? 0 : after
    const [first, lost] = known < last ? await this.#after(inbox, known, 1) : [[], false]
    const from = lost ? (first[0]?.number ?? last + 1) - 1 : known
    const follower = new Follower(project, inbox.id, by, from, last, {
      read: (number) => this.store.inboxEvents.after(project.id, inbox.id, number, BATCH),
      gone: (each) => this.#leave(each),
    })
    this.#requirePlace(follower)
    this.#followers.add(follower)
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref()
    // what was committed meanwhile
    this.look()
    return { from, lost: lost || (after !== undefined && after > last), batches: follower }
  }

  /** The first events that come within so many seconds. */
  async #first(
    project: Project,
    inboxId: string,
    after: number,
    seconds: number,
    by: InboxVisitor,
  ): Promise<readonly InboxEvent[]> {
    const { batches } = await this.follow(project, inboxId, { after }, by)
    const end = setTimeout(() => void batches.return?.(), seconds * 1000)
    try {
      for await (const batch of batches) if (batch.length > 0) return batch
      return []
    } finally {
      clearTimeout(end)
    }
  }

  /** Looks for new events in the background. Does not wait. */
  look(): void {
    if (this.#followers.size === 0) return
    if (this.#looking) {
      this.#isAskedAgain = true
      return
    }
    this.#looking = this.#look()
      .catch((error) => this.#log.warn('look', 'could not look for events of inboxes', { error }))
      .finally(() => {
        this.#looking = undefined
        if (!this.#isAskedAgain) return
        this.#isAskedAgain = false
        this.look()
      })
  }

  /** Ends all that follow; more are refused. */
  end(): void {
    this.#isEnded = true
    for (const follower of this.#followers) follower.end()
  }

  async #look(): Promise<void> {
    const isCheck = performance.now() - this.#checked >= CHECK_MS
    if (isCheck) this.#checked = performance.now()
    const followers = [...this.#followers]
    const numbers = await this.store.inboxEvents.last([...new Set(followers.map(({ inboxId }) => inboxId))])
    for (const follower of followers) {
      const last = numbers.get(follower.inboxId)
      if (last === undefined) follower.end()
      else follower.reach(last)
    }
    if (isCheck) await this.#check(followers)
  }

  /** Sends those away who may no longer see their inbox. */
  async #check(followers: readonly Follower[]): Promise<void> {
    const now = this.kit.now()
    for (const [projectId, own] of Map.groupBy(followers, ({ project }) => project.id)) {
      const keys = new Map((await this.store.projects.keys(projectId)).map((key) => [key.id, key]))
      for (const follower of own) {
        const { authorType, authorId = '' } = follower.by
        const key = keys.get(authorId)
        const isKnown =
          authorType === 'key'
            ? key !== undefined && !(key.expiresAt && key.expiresAt <= now)
            : authorType !== 'user' || authorId.includes(':') || (await this.store.members.find(projectId, authorId))
        const inbox = isKnown ? await this.store.inboxes.find(projectId, follower.inboxId) : undefined
        if (!inbox || !isSeenBy(inbox, follower.by)) follower.end()
      }
    }
  }

  async #after(
    { id, projectId, lastEvent = 0 }: { id: string; projectId: Project['id']; lastEvent?: number },
    number: number,
    limit: number,
  ): Promise<readonly [events: readonly InboxEvent[], lost: boolean]> {
    const events = await this.store.inboxEvents.after(projectId, id, number, limit)
    return [events, number < lastEvent && events[0]?.number !== number + 1]
  }

  #requirePlace({ inboxId, reader }: Follower): void {
    if (this.#isEnded) throw new EngineError('SERVICE_UNAVAILABLE', 'The server stops.', { retryAfter: 1 })
    const inInbox = [...this.#followers].filter((each) => each.inboxId === inboxId)
    const counts = [
      [this.#followers.size, MOST.all, 'Inboxes on this server'],
      [inInbox.length, MOST.ofInbox, 'This inbox'],
      [inInbox.filter((each) => each.reader === reader).length, MOST.ofReader, 'This inbox, for one key or user,'],
    ] as const
    for (const [count, most, what] of counts) {
      if (count < most) continue
      throw new EngineError('RATE_LIMIT_EXCEEDED', `${what} can have ${most} open streams of events.`, {
        suggestion: 'Close one that is no longer read.',
        retryAfter: RETRY_SECONDS,
      })
    }
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower)
    if (this.#followers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** The store and the list of those who follow. */
interface Keeper {
  read(number: number): Promise<readonly InboxEvent[]>
  gone(follower: Follower): void
}

/** One who follows an inbox. It reads no further than it is asked for, so that a slow one costs no memory. */
class Follower implements AsyncIterableIterator<readonly InboxEvent[]> {
  readonly reader: string
  readonly #until = performance.now() + LONGEST_MS
  #ended = false
  #wake = () => {}

  constructor(
    readonly project: Project,
    readonly inboxId: string,
    readonly by: InboxVisitor,
    private number: number,
    private last: number,
    private readonly keeper: Keeper,
  ) {
    this.reader = readerOf(by)
  }

  /** The inbox has events up to this number. */
  reach(last: number): void {
    if (last <= this.last) return
    this.last = last
    this.#wake()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.keeper.gone(this)
    this.#wake()
  }

  async next(): Promise<IteratorResult<readonly InboxEvent[], undefined>> {
    if (performance.now() >= this.#until) this.end()
    if (!this.#ended && this.number >= this.last) await this.#news()
    if (this.#ended) return { done: true, value: undefined }
    const events = this.number < this.last ? await this.keeper.read(this.number) : []
    if (this.#ended) return { done: true, value: undefined }
    // what was removed meanwhile as too old is skipped
    this.number = events.at(-1)?.number ?? this.last
    return { done: false, value: events }
  }

  async return(): Promise<IteratorResult<readonly InboxEvent[], undefined>> {
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #news(): Promise<void> {
    const awake = new AbortController()
    this.#wake = () => awake.abort()
    await pause(QUIET_MS, awake.signal)
  }
}
