import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Header } from '../mail/mime/composing.ts'
import { type MailMessage, Mails } from '../mails/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest, wholeNumber } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { pause } from '../values/pause.ts'
import type { ProjectId } from '../values/project-id.ts'
import { shownId } from '../values/shown-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { codeIn, type FoundLink, linksIn } from './found-in-mail.ts'

/** For how long a list waits for its first mail, in seconds. */
const LONGEST_WAIT = 30
/** How soon one that waits looks again, since other processes catch mail, too, in milliseconds. */
const LOOK_MS = 500
/** How many wait in one process at a time, for one project and for all. */
const MOST = { ofProject: 50, all: 500 }
/** For about how long a search goes on before it answers what it has, in milliseconds. */
const SEARCH_MS = 1_500
/** How many mails are cleared in one commit. */
const AT_ONCE = 500

export const ListCaught = v.object({
  ...CursorQuery.entries,
  /** Only mails to this address. */
  to: v.optional(EmailAddress),
  /** Only mails that were accepted at this time or later (ISO 8601). */
  since: v.optional(IsoDate),
  /** For how many seconds to wait for the first when there is none, 0 to 30, by default 0. */
  wait: v.optional(wholeNumber(0, LONGEST_WAIT), 0),
})

/** Which caught mails, and how long to wait for one. */
export interface ListCaughtInput extends CursorInput, Omit<InputOf<typeof ListCaught>, keyof CursorInput> {}

/** A mail that was caught, with what a test looks for in it. */
export interface CaughtMail {
  /** The mail with its texts, without tracking. */
  readonly message: MailMessage
  /** Its links, where they lead before they are counted. */
  readonly links: readonly FoundLink[]
  /** The code that it gives its reader to type in; absent: none was found. */
  readonly code?: string
}

/** A caught mail with the header that it would have been sent with. */
export interface CaughtMailDetail extends CaughtMail {
  /** The fields in their order, decoded; empty when its text was removed. */
  readonly headers: readonly Header[]
}

/** A request that waits for a mail. */
interface Waiting {
  /** The address that the mail is to be for; undefined for any. */
  readonly to: string | undefined
  /** Aborted when it should look again. */
  awake: AbortController
}

/** Who waits, for whose mail, and until when. */
interface Wait extends Pick<Waiting, 'to'> {
  readonly projectId: ProjectId
  /** By the clock of `performance`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
}

/** The mails of projects that were caught instead of sent, for tests of applications: each as it would have been sent. */
@injectable()
export class Sandbox {
  readonly #waiting = new Map<ProjectId, Set<Waiting>>()
  #isEnded = false

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Mails) private readonly mails: Mails,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * One page of caught mails, newest first; with `wait`, as soon as there is one, until the signal is aborted. Throws
   * EngineError `VALIDATION_ERROR`; with `wait`, `RATE_LIMIT_EXCEEDED` when too many wait, and `SERVICE_UNAVAILABLE` once the
   * engine stops.
   */
  async list(
    project: Project,
    query: ListCaughtInput | UntrustedInput = {},
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Page<CaughtMail>> {
    const read = parse(ListCaught, query)
    const until = performance.now() + read.wait * 1000
    const first = await this.#page(project, read)
    if (first.items.length > 0 || read.wait === 0) return first
    return this.#waitFor({ projectId: project.id, to: read.to, until, signal }, () => this.#page(project, read))
  }

  /** One caught mail with its header. Throws EngineError `EMAIL_NOT_FOUND`, also for a mail that was not caught. */
  async get(project: Project, id: string): Promise<CaughtMailDetail> {
    const [message] = isId(id) ? await this.mails.messages(project, [id]) : []
    if (message?.email.skipReason !== 'caught') throw missing(id)
    const headers = message.subject === undefined ? [] : await this.mails.headers(project, id)
    return { ...caughtOf(message), headers }
  }

  /** Clears the sandbox: the mails stay in the ledger, as `cleared`. Answers how many there were. */
  async clear(project: Project): Promise<number> {
    let sum = 0
    for (let cleared = AT_ONCE; cleared === AT_ONCE; sum += cleared) {
      cleared = await this.store.mails.clearCaught(project.id, { limit: AT_ONCE }, this.kit.now())
    }
    return sum
  }

  /**
   * Clears one mail from the sandbox: it stays in the ledger, as `cleared`. Throws EngineError `EMAIL_NOT_FOUND`, also for
   * a mail that was not caught or is cleared.
   */
  async remove(project: Project, id: string): Promise<void> {
    const cleared = isId(id) ? await this.store.mails.clearCaught(project.id, { id }, this.kit.now()) : 0
    if (cleared === 0) throw missing(id)
  }

  /** Call it after the commit of a caught mail to this address: those who wait for one look again. */
  noteCaught(projectId: ProjectId, to: string): void {
    for (const waiting of this.#waiting.get(projectId) ?? []) {
      if ((waiting.to ?? to) === to) waiting.awake.abort()
    }
  }

  /** Ends all that wait; more are refused. */
  end(): void {
    this.#isEnded = true
    for (const { awake } of [...this.#waiting.values()].flatMap((all) => [...all])) awake.abort()
  }

  async #page(
    project: Project,
    { to, since, limit, cursor }: v.InferOutput<typeof ListCaught>,
  ): Promise<Page<CaughtMail>> {
    const list = { projectId: project.id, name: 'caught' }
    const search = { caught: true, ...(to && { address: to }), ...(since && { from: since }) } as const
    const page = pageRequest(list, { limit, cursor })
    const { mails } = await this.store.mails.search(project.id, search, page, SEARCH_MS)
    const isAll = !page.after && mails.length <= limit
    const total = page.after ? 0 : isAll ? mails.length : await this.store.mails.countFound(project.id, search, 100)
    const { items, ...found } = pageOf(list, mails, limit, total ?? 0, ({ id }) => ({ value: '', id }))
    const messages = await this.mails.messages(
      project,
      items.map(({ id }) => id),
    )
    const caught: CaughtMail[] = []
    for (const message of messages) {
      caught.push(caughtOf(message))
      await yieldToLoop()
    }
    return { ...found, items: caught }
  }

  /** Looks after each caught mail that may fit, and now and then besides, until there is one or the time is up. */
  async #waitFor(
    { projectId, to, until, signal }: Wait,
    look: () => Promise<Page<CaughtMail>>,
  ): Promise<Page<CaughtMail>> {
    const others = this.#requirePlace(projectId)
    const waiting: Waiting = { to, awake: new AbortController() }
    others.add(waiting)
    const leave = () => waiting.awake.abort()
    signal?.addEventListener('abort', leave)
    try {
      for (;;) {
        // told meanwhile or not: a mail that was caught before is found now
        const found = await look()
        const left = until - performance.now()
        if (found.items.length > 0 || left <= 0 || this.#isEnded || signal?.aborted) return found
        await pause(Math.min(LOOK_MS, left), waiting.awake.signal)
        waiting.awake = new AbortController()
      }
    } finally {
      signal?.removeEventListener('abort', leave)
      others.delete(waiting)
      if (others.size === 0) this.#waiting.delete(projectId)
    }
  }

  #requirePlace(projectId: ProjectId): Set<Waiting> {
    if (this.#isEnded) throw new EngineError('SERVICE_UNAVAILABLE', 'The server stops.', { retryAfter: 1 })
    const own = this.#waiting.get(projectId) ?? new Set()
    const all = [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
    if (own.size >= MOST.ofProject || all >= MOST.all) {
      throw new EngineError(
        'RATE_LIMIT_EXCEEDED',
        `${MOST.ofProject} requests of a project can wait for caught mail.`,
        {
          suggestion: 'Run fewer tests at a time, or ask without wait.',
          retryAfter: 1,
        },
      )
    }
    this.#waiting.set(projectId, own)
    return own
  }
}

function missing(id: string): EngineError {
  return new EngineError('EMAIL_NOT_FOUND', `There is no caught mail ${shownId(id)}.`, {
    suggestion: 'GET /sandbox/messages lists those that there are.',
  })
}

function caughtOf(message: MailMessage): CaughtMail {
  const { html = '', text = '', subject = '' } = message
  const code = codeIn(subject, text)
  return { message, links: linksIn(html, text), ...(code === undefined ? {} : { code }) }
}
