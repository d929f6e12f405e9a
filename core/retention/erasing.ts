import type { EraseContacts } from '../contacts/erase-contacts.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Begun } from '../ports/store/begun-work.ts'
import type { Erasure } from '../ports/store/retention.ts'
import { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../work/interrupted.ts'
import { Leases } from '../work/leases.ts'
import { rest } from '../work/rest.ts'
import { BodyLinks, type LinksOf } from './body-links.ts'

/** How many rows of a kind, and how many contacts, one batch handles. */
const BATCH = 200
/** How long the removal of a contact waits for the erasure of its data. */
const SOON_MS = 200
/**
 * Work that had read a contact just before its removal may still write about it: a page of a campaign's audience, a
 * result. So everything is searched once more after this time.
 */
const AGAIN_MS = 10 * 60_000
/** After this time one that processes ended with is tried again. */
const GIVEN_UP_MS = 24 * 3600 * 1000

/**
 * Erases the data about removed contacts: mails stay as figures, events and requests to customers are deleted. Each
 * batch is one transaction; the contacts left to erase are stored, so that a crash forgets none. Repeating a batch is
 * harmless.
 */
@injectable()
export class Erasing implements EraseContacts {
  readonly #links: BodyLinks

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) mails: LinksOf,
    @inject(Leases) private readonly leases: Leases,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#links = new BodyLinks(store, mails)
  }

  /** See `EraseContacts`. */
  async soon(projectId: ProjectId, contactIds: readonly string[]): Promise<void> {
    const until = performance.now() + SOON_MS
    await this.#attempt(projectId, contactIds, () => performance.now() < until)
  }

  /** See `EraseContacts`. */
  wholly(projectId: ProjectId, contactIds: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#attempt(projectId, contactIds, () => !signal.aborted)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'erasing', cron: '*/5 * * * * *', run: (signal) => this.tick(signal) }]
  }

  /** Every few seconds: continues what is due. A contact with which processes end three times is left for a day. */
  async tick(signal: AbortSignal): Promise<void> {
    const goesOn = () => !signal.aborted
    await this.store.begunWork.forget('erasure', new Date(this.kit.now().getTime() - GIVEN_UP_MS))
    for (let isMore = true; isMore && goesOn(); ) {
      const all = await this.store.retention.dueErasures(this.kit.now(), BATCH)
      const left = all.length === 0 ? new Set<string>() : await this.#givenUp()
      const due = all.filter(({ contactId }) => !left.has(contactId))
      isMore = false
      for (const [projectId, erasures] of Map.groupBy(due, (erasure) => erasure.projectId)) {
        isMore = (await this.#eraseDue(projectId, erasures, goesOn)) || isMore
      }
      isMore &&= all.length === BATCH
    }
  }

  async #givenUp(): Promise<ReadonlySet<string>> {
    const given = await this.store.begunWork.givenUp()
    return new Set(given.flatMap(({ kind, key }) => (kind === 'erasure' ? [key] : [])))
  }

  /** Answers whether anything was erased: another process may be at it. */
  async #eraseDue(projectId: ProjectId, erasures: readonly Erasure[], goesOn: () => boolean): Promise<boolean> {
    const batch = await this.#begin(projectId, projectId)
    if (batch === undefined) return false
    try {
      if (batch.interrupted === undefined) {
        await this.#erase(projectId, erasures, goesOn)
        return true
      }
      // the process has ended with one of them: by itself, each shows whether it is the one
      let isAny = false
      for (const erasure of erasures) if (goesOn()) isAny = (await this.#eraseAlone(erasure, goesOn)) || isAny
      return isAny
    } finally {
      await this.store.begunWork.end(batch)
    }
  }

  async #eraseAlone(erasure: Erasure, goesOn: () => boolean): Promise<boolean> {
    const { projectId, contactId: key } = erasure
    const begun = await this.#begin(projectId, key)
    if (begun === undefined) return false
    const { kind } = begun
    const giveUp = async (reason: string) => {
      this.kit.log.error('the data of a removed contact is left for a day', {
        project: projectId,
        contact: key,
        reason,
      })
      await this.store.begunWork.giveUp({ kind, key, projectId, reason, at: this.kit.now() })
    }
    await seeThrough(this.store, begun, () => this.#erase(projectId, [erasure], goesOn), giveUp)
    return true
  }

  /** Undefined when another process has it under way, or when it was given up. */
  async #begin(projectId: ProjectId, key: string): Promise<Begun | undefined> {
    const { begunWork } = this.store
    const now = this.kit.now()
    const lease = { token: this.leases.token(), until: new Date(now.getTime() + BEGUN_LEASE_MS) }
    const [fresh] = await begunWork.begin('erasure', [{ key, projectId }], now, lease)
    if (fresh) return fresh
    const [left] = await begunWork.begin('erasure', [{ key, projectId }], now, { ...lease, alone: true })
    return left
  }

  async #attempt(projectId: ProjectId, contactIds: readonly string[], goesOn: () => boolean): Promise<void> {
    const removedAt = this.kit.now()
    try {
      await this.#erase(
        projectId,
        contactIds.map((contactId) => ({ contactId, projectId, removedAt })),
        goesOn,
      )
    } catch (error) {
      this.kit.log.warn('could not erase what is left of removed contacts; a later tick will', { projectId, error })
    }
  }

  async #erase(projectId: ProjectId, erasures: readonly Erasure[], goesOn: () => boolean): Promise<void> {
    const ids = erasures.map(({ contactId }) => contactId)
    if (ids.length === 0) return
    for (let isMore = true; isMore; ) {
      const begun = performance.now()
      isMore = await this.#batch(projectId, ids)
      if (!isMore) break
      if (!goesOn()) return
      await rest(begun)
    }
    const now = this.kit.now().getTime()
    const again = Map.groupBy(erasures, ({ removedAt }) => removedAt.getTime() + AGAIN_MS)
    for (const [at, those] of again) {
      const settled = those.map(({ contactId }) => contactId)
      await this.store.retention.erased(settled, now < at ? new Date(at) : undefined)
    }
  }

  /** Mails first: code that writes an event then sees in its mail that the contact is gone. True when more may be left. */
  async #batch(projectId: ProjectId, ids: readonly string[]): Promise<boolean> {
    const { retention } = this.store
    const mails = await retention.mailsTo(projectId, ids, BATCH)
    if (mails.length === 0) return retention.eraseHistory(projectId, ids, BATCH, this.kit.now())
    const { changes, contents } = await this.#links.of(mails)
    await retention.eraseMails(projectId, changes, contents, this.kit.now())
    return true
  }
}
