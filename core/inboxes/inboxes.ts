import { randomInt } from 'node:crypto'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { Kit } from '../kit.ts'
import { Links } from '../mail/links/links.ts'
import { Mails } from '../mails/mails.ts'
import { Sending } from '../mails/sending.ts'
import { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { domainsOf, requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { Projects } from '../projects/projects.ts'
import { ENGINE } from '../templates/versions.ts'
import { retryConflicts } from '../values/conflict.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { type NumberedPage, numberedPage, type PageInput, PageQuery } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { nextVersion } from '../values/record-version.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { RunWorkflows } from '../workflows/run/run-workflows.ts'
import { Agents } from './agents.ts'
import { InboxDrafts } from './drafts.ts'
import { confirmationOf, InboxForwarding, withForwarding } from './forwarding.ts'
import {
  ChangeInbox,
  type ChangeInboxInput,
  CreateInbox,
  type CreateInboxInput,
  MAX_INBOXES,
  missingInbox,
  namedInbox,
  readerOf,
  seenBy,
} from './inbox.ts'
import { InboxEvents } from './inbox-events.ts'
import { joinThreads } from './join-threads.ts'
import { InboxSearch } from './search.ts'
import { Threads } from './threads.ts'

/** How many threads of a removed inbox are deleted at a time. */
const DELETED_AT_ONCE = 200
/** How many of its events. */
const EVENTS_AT_ONCE = 5_000
/** How often accepting a mail is tried while other processes write about the same contacts. */
const TRIES = 5
/** How far unread threads are counted. */
const MOST_UNREAD = 1_000
/** The signs of a free address: none that is taken for another. */
const SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'
const FREE_LENGTH = 12

/** An inbox, and what a reader has not read there. */
export interface CountedInbox {
  /** The inbox. */
  readonly inbox: Inbox
  /** How many threads in its folder `inbox` have messages that the reader has not read, counted up to 1,000. */
  readonly unread: number
}

/**
 * Addresses whose mail people and programs read and answer as conversations. `by` is who asks: a user sees the inboxes that
 * are for all members or for this one, and each user and key has read threads by itself.
 */
@injectable()
export class Inboxes {
  /** Their conversations. */
  readonly threads: Threads
  /** Mails that are being written in them. */
  readonly drafts: InboxDrafts
  /** Stops keys for agents, and lets them work again. */
  readonly agents: Agents
  /** The events in them, in their order. */
  readonly events: InboxEvents
  /** The mailboxes that their mail goes on to. */
  readonly forwarding: InboxForwarding
  /** Finds mail in them by its words. */
  readonly search: InboxSearch

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Projects) projects: Projects,
    @inject(Mails) mails: Mails,
    @inject(Sending) private readonly sending: Sending,
    @inject(DispatchTrigger) dispatch: DispatchTrigger,
    @inject(Links) private readonly links: Links,
    @inject(RunWorkflows) workflows: RunWorkflows,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.threads = new Threads(store, mails, dispatch, kit)
    this.drafts = new InboxDrafts(store, mails, sending, dispatch, kit)
    this.agents = new Agents(store, projects, dispatch, kit)
    this.events = new InboxEvents(store, kit, dispatch)
    this.forwarding = new InboxForwarding(store, links, kit)
    this.search = new InboxSearch(store, mails, kit)
    sending.answering = async (project, emailIds) => {
      // what a test key sends belongs to no live conversation
      if (!project.isForTests) await joinThreads({ store, mails, kit }, project, emailIds)
    }
    workflows.answering = sending.answering
  }

  /** One page, newest first. */
  async list(
    project: Project,
    query: PageInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<NumberedPage<CountedInbox>> {
    const { inboxes } = this.store
    const { items, ...page } = await numberedPage(
      { projectId: project.id, name: 'inboxes' },
      parse(PageQuery, query),
      (request) => inboxes.page(project.id, seenBy(by), request),
      () => inboxes.count(project.id, seenBy(by)),
    )
    return {
      ...page,
      items: await this.#counted(project, items, by),
    }
  }

  /** The inbox. Throws EngineError `INBOX_NOT_FOUND`. */
  async get(project: Project, id: string, by: InboxVisitor = ENGINE): Promise<CountedInbox> {
    const inbox = await namedInbox(this.store, project.id, id, by)
    return (await this.#counted(project, [inbox], by))[0] ?? missingInbox(id)
  }

  /**
   * Stores a new inbox; without an address it gets a free one. Throws EngineError `VALIDATION_ERROR`, `DOMAIN_NOT_VERIFIED`,
   * `CONFLICT` when the address has one already, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateInboxInput | UntrustedInput): Promise<CountedInbox> {
    requireEnabled(project)
    const { domain, ...wanted } = parse(CreateInbox, input)
    const address = wanted.address ?? freeAddress(project, domain)
    requireVerifiedDomain(project, address)
    const now = this.kit.now()
    const own = { id: this.kit.newId(), projectId: project.id, version: 1, createdAt: now, updatedAt: now }
    const inbox = withForwarding(undefined, { ...own, ...made(Inbox, wanted), address }, this.kit.newId())
    requireRuleLabels(inbox)
    if ((await this.store.inboxes.count(project.id, {})) >= MAX_INBOXES) {
      throw new EngineError('CONFLICT', `A project can have ${MAX_INBOXES} inboxes; this one has them.`, {
        suggestion: 'Delete one that is no longer used.',
      })
    }
    const insert = async ({ inboxes }: Pick<Repositories, 'inboxes'>) => {
      if ((await inboxes.insert(inbox)) === 'inserted') return inbox
      throw new EngineError('CONFLICT', `${address} has an inbox already.`, { suggestion: 'Choose another address.' })
    }
    await (inbox.forwardToken === undefined ? insert(this.store) : this.#asking(project, inbox, insert))
    return { inbox, unread: 0 }
  }

  /**
   * Changes the given fields; its address stays. Threads keep labels that it no longer has. Throws EngineError
   * `VALIDATION_ERROR`, `INBOX_NOT_FOUND`, `VERSION_CONFLICT`, `PROJECT_DISABLED`.
   */
  async change(project: Project, id: string, input: ChangeInboxInput | UntrustedInput): Promise<CountedInbox> {
    requireEnabled(project)
    const { version: seen, ...wanted } = parse(ChangeInbox, input)
    if (!isId(id)) return missingInbox(id)
    const token = this.kit.newId()
    const write = async (tx: Repositories) => {
      const before = (await tx.inboxes.lock(project.id, id)) ?? missingInbox(id)
      const version = nextVersion('inbox', before, seen)
      const whole = { ...changed(Inbox, before, wanted), version, updatedAt: this.kit.now() }
      const after = wanted.forwardTo === undefined ? whole : withForwarding(before, whole, token)
      if (wanted.rules != null) requireRuleLabels(after)
      await tx.inboxes.update(after)
      return after
    }
    const before = wanted.forwardTo == null ? undefined : await namedInbox(this.store, project.id, id, ENGINE)
    const asking = before && withForwarding(before, changed(Inbox, before, wanted), token)
    const isAsked = asking?.forwardToken === token
    const inbox = await (isAsked ? this.#asking(project, asking, write) : this.store.transaction(write))
    return { inbox, unread: 0 }
  }

  /**
   * Removes the inbox with its threads, notes, drafts and events. The mails stay in the ledger. Throws EngineError
   * `INBOX_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id) || !(await this.store.inboxes.find(project.id, id))) return missingInbox(id)
    const emptied = async ({ threads, inboxDrafts, inboxEvents }: Repositories) => {
      if ((await threads.removeOf(project.id, id, DELETED_AT_ONCE)) === DELETED_AT_ONCE) return false
      if ((await inboxDrafts.removeOf(project.id, id, DELETED_AT_ONCE)) === DELETED_AT_ONCE) return false
      return (await inboxEvents.removeOf(project.id, id, EVENTS_AT_ONCE)) < EVENTS_AT_ONCE
    }
    // the inbox goes last: where a crash comes between, it is still there to be removed
    while (!(await emptied(this.store))) await yieldToLoop()
    const isGone = await this.store.transaction(async (tx) => {
      if (!(await tx.inboxes.lock(project.id, id))) return missingInbox(id)
      return (await emptied(tx)) && tx.inboxes.remove(project.id, id)
    })
    if (!isGone) return this.remove(project, id)
    this.events.look()
  }

  /** Writes an inbox together with the mail that asks the mailbox it forwards to. */
  #asking(project: Project, inbox: Inbox, write: (tx: Repositories) => Promise<Inbox>): Promise<Inbox> {
    return this.sending.acceptWithin(project, confirmationOf(project, inbox, this.links), (take) =>
      retryConflicts(TRIES, () =>
        this.store.transaction(async (tx) => {
          await take(tx)
          return write(tx)
        }),
      ),
    )
  }

  async #counted(project: Project, inboxes: readonly Inbox[], by: InboxVisitor): Promise<readonly CountedInbox[]> {
    const ids = inboxes.map(({ id }) => id)
    const unread = await this.store.threads.unread(project.id, ids, readerOf(by), MOST_UNREAD)
    return inboxes.map((inbox) => ({ inbox, unread: unread.get(inbox.id) ?? 0 }))
  }
}

/** Throws EngineError `VALIDATION_ERROR` for a rule with a label that the inbox does not have. */
function requireRuleLabels({ rules = [], labels }: Inbox): void {
  const known = new Set(labels.map(({ name }) => name))
  for (const [i, rule] of rules.entries()) {
    const unknown = (rule.labels ?? []).findIndex((name) => !known.has(name))
    if (unknown >= 0) throw invalidField(`rules.${i}.labels.${unknown}`, 'custom', 'is no label of the inbox')
  }
}

function freeAddress(project: Project, domain = domainsOf(project)[0]): string {
  if (domain === undefined) {
    throw invalidField('address', 'required', 'is required, since the project has no verified domain for a free one')
  }
  const local = Array.from({ length: FREE_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return `${local}@${domain}`
}
