import type { UserSession, UserSessionRepository } from '../../../../../core/ports/store/user-sessions.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** The sessions of users. */
export class SqlUserSessions extends Repository implements UserSessionRepository {
  readonly #sessions = new Rows(this.access, this.tables.userSessions)

  add(session: UserSession): Promise<void> {
    return this.#sessions.insert(session)
  }

  find(id: string): Promise<UserSession | undefined> {
    return this.#sessions.one({ id })
  }

  ofUser(userId: string, now: Date): Promise<readonly UserSession[]> {
    return this.#sessions.list({ userId, expiresAt: { $gt: now } }, { orderBy: { lastUsedAt: 'desc', id: 'asc' } })
  }

  async note(id: string, use: Pick<UserSession, 'agent' | 'address' | 'lastUsedAt'>): Promise<void> {
    await this.#sessions.change({ id }, use)
  }

  remove(userId: string, id: string): Promise<boolean> {
    return this.#sessions.remove({ userId, id })
  }

  async removeOf(userId: string): Promise<void> {
    await this.#sessions.remove({ userId })
  }

  forget(now: Date, limit: number): Promise<number> {
    return this.#sessions.removeFirst({ expiresAt: { $lte: now } }, 'expiresAt', limit)
  }
}
