import type { OpenTab, PresenceBounds, PresenceRepository } from '../../../../../core/ports/store/presence.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** Who has what open just now. */
export class SqlPresence extends Repository implements PresenceRepository {
  readonly #tabs = new Rows(this.access, this.tables.openTabs)

  async note(tab: OpenTab, since: Date, { ofProject, ofUser }: PresenceBounds): Promise<void> {
    const { id, projectId, kind, thingId, userId, name, seenAt } = tab
    const isOpen = { seenAt: { $gt: since } }
    // nearly always: still the same thing
    if ((await this.#tabs.change({ id, projectId, kind, thingId, ...isOpen }, { name, seenAt })) > 0) return
    await this.#tabs.remove({ $or: [{ id }, { userId, seenAt: { $lte: since } }] })
    if ((await this.#tabs.count({ projectId, ...isOpen }, ofProject)) >= ofProject) return
    if ((await this.#tabs.count({ userId, ...isOpen }, ofUser)) >= ofUser) return
    await this.#tabs.add(tab)
  }

  async leave({ id, projectId, kind, thingId }: Pick<OpenTab, 'id' | 'projectId' | 'kind' | 'thingId'>): Promise<void> {
    await this.#tabs.remove({ id, projectId, kind, thingId })
  }

  of(
    { projectId, kind, thingId }: Pick<OpenTab, 'projectId' | 'kind' | 'thingId'>,
    since: Date,
    limit: number,
  ): Promise<readonly OpenTab[]> {
    const open = { projectId, thingId, kind, seenAt: { $gt: since } }
    return this.#tabs.list(open, { orderBy: { openedAt: 'asc', id: 'asc' }, limit })
  }

  forget(since: Date, limit: number): Promise<number> {
    return this.#tabs.removeFirst({ seenAt: { $lte: since } }, 'seenAt', limit)
  }
}
