import type { User, UserIdentity, UserRepository } from '../../../../../core/ports/store/users.ts'
import type { Access } from '../../engine/access.ts'
import type { Params } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** The users. */
export class SqlUsers implements UserRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async any(): Promise<boolean> {
    return (await this.#access.all('select 1 as "one" from "users" limit 1', [])).length > 0
  }

  async count(): Promise<number> {
    const [row] = await this.#access.all('select count(*) as "count" from "users"', [])
    return Number(row?.count)
  }

  find(id: string): Promise<User | undefined> {
    return this.#one('"id" = ?', [id])
  }

  lock(id: string): Promise<User | undefined> {
    return this.#one(`"id" = ?${this.#access.dialect.lockRows('"users"')}`, [id])
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.#one('"email" = ?', [email])
  }

  byIdentity(provider: string, subject: string): Promise<User | undefined> {
    const identified = 'select "user_id" from "user_identities" where "provider" = ? and "subject" = ?'
    return this.#one(`"id" = (${identified})`, [provider, subject])
  }

  async insert(user: User): Promise<boolean> {
    const { users } = this.#tables
    const written = this.#access.write((session) => users.insert(session, [user], 'on conflict ("email") do nothing'))
    return (await written) > 0
  }

  async update(user: User): Promise<boolean> {
    const { users } = this.#tables
    const columns = users.without(['id', 'email', 'createdAt'])
    const fields: Readonly<Record<string, unknown>> = { ...user }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    const sql = `update "users" set ${columns.map(({ name }) => `"${name}" = ?`).join(', ')} where "id" = ?`
    return (await this.#access.run(sql, [...values, user.id])) > 0
  }

  async addIdentity(identity: UserIdentity): Promise<boolean> {
    const { userIdentities } = this.#tables
    const once = 'on conflict ("provider", "subject") do nothing'
    return (await this.#access.write((session) => userIdentities.insert(session, [identity], once))) > 0
  }

  async setRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
    const rows = hashes.map((hash) => ({ userId, hash }))
    await this.#access.write(async (session) => {
      await session.run('delete from "recovery_codes" where "user_id" = ?', [userId])
      await this.#tables.recoveryCodes.insert(session, rows)
    })
  }

  async useRecoveryCode(userId: string, hash: string): Promise<boolean> {
    const sql = 'delete from "recovery_codes" where "user_id" = ? and "hash" = ?'
    return (await this.#access.run(sql, [userId, hash])) > 0
  }

  async #one(where: string, params: Params): Promise<User | undefined> {
    const { users } = this.#tables
    const sql = `select ${users.list} from "users" where ${where}`
    const [row] = await this.#access.all(sql, params)
    return row && users.record(row)
  }
}
