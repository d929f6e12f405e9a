import type { EndpointNotice } from '../events/notify-endpoints.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { isConfidential, isOfTestKey } from '../mail/email.ts'
import type { ClaimedEmail, Email } from '../ports/store/emails.ts'
import type { ProjectMode } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { domainOf } from '../values/email-address.ts'
import { EVENTS } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { MailOrder } from './hand-over.ts'
import { Slots } from './slots.ts'

/** How many caught mails are made at a time: each is in memory meanwhile. */
const AT_ONCE = 20

/** The event that endpoints get of a caught mail. It is stored nowhere, since a workflow that it starts would send live mail. */
export function caughtNotice(email: ClaimedEmail, data: JsonObject | undefined, at: Date): EndpointNotice {
  const { id: emailId, projectId, contactId, to } = email
  const event = { ...data, emailId, to, byTestKey: isOfTestKey(email), caughtAt: at.toISOString() }
  return { projectId, name: EVENTS.caught, event, at, emailId, contactId }
}

/**
 * Whether mail of a project in this mode is caught; `others`: unless it is for members and allowed recipients alone. The
 * simulator sends nothing into the world, and so answers in projects for tests, too.
 */
export function catches(
  email: Pick<Email, 'tags' | 'sourceType' | 'campaignId' | 'toFolder' | 'sentAt'>,
  mode: ProjectMode | undefined,
  toSimulator: boolean,
): boolean | 'others' {
  if (isConfidential(email)) return false
  if (isOfTestKey(email)) return true
  if (toSimulator) return false
  return mode === 'members' ? 'others' : mode === 'test'
}

/**
 * Tells which mails are caught instead of sent: those of test keys, those of projects for tests, and those to other
 * people where a project only mails its members. Mails about accounts are not: without them no person could log in.
 */
export class Catching {
  /** One read for all mails of a claim. */
  readonly #known = new WeakMap<readonly ClaimedEmail[], Map<ProjectId, Promise<ReadonlySet<string>>>>()
  readonly #slots = new Slots(AT_ONCE)

  constructor(
    private readonly store: Store,
    private readonly compiled: CompiledMails,
    private readonly sandbox: Sandbox,
  ) {}

  /** Makes the mail as it would have been handed over. Throws what making it throws. */
  async make({ email, mail, date, unwanted }: MailOrder): Promise<void> {
    const queued = this.#slots.take(email.lane)
    if (queued) await queued
    try {
      const outgoing = await mail.outgoing(email, date, unwanted)
      await outgoing.raw()
    } finally {
      this.#slots.free()
    }
  }

  /** Call it after the commit of a caught mail: tests wait for it. */
  caught({ projectId, to }: ClaimedEmail): void {
    this.sandbox.noteCaught(projectId, to)
  }

  /**
   * Whether anyone but members and allowed recipients would get it or a copy of it. `claim` are the mails that were claimed
   * with it. Throws what the store throws.
   */
  async isForOthers(
    email: ClaimedEmail,
    mail: CompiledMail | undefined,
    claim: readonly ClaimedEmail[],
  ): Promise<boolean> {
    const { projectId, contentId, to } = email
    const own = await this.#own(projectId, claim)
    const copies = (mail ?? (await this.compiled.find(contentId)))?.copies ?? []
    return !areReached([to, ...copies], own)
  }

  /** The addresses and domains that mail of the project reaches. */
  #own(projectId: ProjectId, claim: readonly ClaimedEmail[]): Promise<ReadonlySet<string>> {
    const known = this.#known.get(claim) ?? new Map<ProjectId, Promise<ReadonlySet<string>>>()
    this.#known.set(claim, known)
    const read = known.get(projectId) ?? reachedBy(this.store, projectId)
    known.set(projectId, read)
    return read
  }
}

/** The addresses and domains that mail of a project reaches which only mails its members. Throws what the store throws. */
export async function reachedBy(
  store: Pick<Store, 'members' | 'projects'>,
  projectId: ProjectId,
): Promise<ReadonlySet<string>> {
  const members = await store.members.list(projectId)
  const project = await store.projects.find(projectId)
  return new Set([...members.map(({ user }) => user.email), ...(project?.allowedRecipients ?? [])])
}

/** Whether mail to all of these addresses goes out there. */
export function areReached(addresses: readonly string[], own: ReadonlySet<string>): boolean {
  return addresses.every((address) => own.has(address.toLowerCase()) || own.has(domainOf(address)))
}
