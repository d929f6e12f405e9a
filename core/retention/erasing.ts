import type { EraseContacts } from '../contacts/erase-contacts.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Erasure } from '../ports/store/retention.ts'
import { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
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

  /** What runs on a schedule, in a process that works. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'erasing', cron: '*/5 * * * * *', run: (signal) => this.tick(signal) }]
  }

  /** Every few seconds: continues what is due. */
  async tick(signal: AbortSignal): Promise<void> {
    const goesOn = () => !signal.aborted
    for (let isMore = true; isMore && goesOn(); ) {
      const due = await this.store.retention.dueErasures(this.kit.now(), BATCH)
      for (const [projectId, erasures] of Map.groupBy(due, (erasure) => erasure.projectId)) {
        await this.#erase(projectId, erasures, goesOn)
      }
      isMore = due.length === BATCH
    }
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
