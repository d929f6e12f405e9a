import type { User, UserIdentity, UserRepository } from '../../../../../core/ports/store/users.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows, type Where } from '../../engine/rows.ts'

/** The users. */
export class SqlUsers extends Repository implements UserRepository {
  readonly #users = new Rows(this.access, this.tables.users)
  readonly #identities = new Rows(this.access, this.tables.userIdentities)
  readonly #codes = new Rows(this.access, this.tables.recoveryCodes)

  any(): Promise<boolean> {
    return this.#users.exists({})
  }

  count(search?: string): Promise<number> {
    return this.#users.count(this.#found(search))
  }

  page(page: NumberedRequest, search?: string): Promise<readonly User[]> {
    return this.#users.page(this.#found(search), page)
  }

  trusted(): Promise<readonly User[]> {
    return this.#users.list({ trusted: true })
  }

  find(id: string): Promise<User | undefined> {
    return this.#users.one({ id })
  }

  lock(id: string): Promise<User | undefined> {
    return this.#users.lock({ id })
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.#users.one({ email })
  }

  byIdentity(provider: string, subject: string): Promise<User | undefined> {
    return this.#users.one({ id: { $in: this.#identities.each('userId', { provider, subject }) } })
  }

  insert(user: User): Promise<boolean> {
    return this.#users.add(user)
  }

  update(user: User): Promise<boolean> {
    return this.#users.update(user, ['id'], ['email', 'createdAt'])
  }

  addIdentity(identity: UserIdentity): Promise<boolean> {
    return this.#identities.add(identity)
  }

  setRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
    return this.access.write(async (session) => {
      const codes = this.#codes.in(session)
      await codes.remove({ userId })
      await codes.insert(...hashes.map((hash) => ({ userId, hash })))
    })
  }

  recoveryCodes(userId: string): Promise<number> {
    return this.#codes.count({ userId })
  }

  useRecoveryCode(userId: string, hash: string): Promise<boolean> {
    return this.#codes.remove({ userId, hash })
  }

  #found(search?: string): Where<User> {
    return search === undefined ? {} : this.#users.contains(search, 'email', 'name')
  }
}
