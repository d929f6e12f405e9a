import type {
  Invitation,
  TokenPurpose,
  UserToken,
  UserTokenRepository,
} from '../../../../../core/ports/store/user-tokens.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Row } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

const VALID = '"id" = ? and "purpose" = ? and "expires_at" > ?'

/** Tokens that work once. */
export class SqlUserTokens implements UserTokenRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async add(token: UserToken): Promise<boolean> {
    const { userTokens } = this.#tables
    const written = this.#access.write((session) =>
      userTokens.insert(session, [token], 'on conflict ("id") do nothing'),
    )
    return (await written) > 0
  }

  async find(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined> {
    const sql = `select ${this.#tables.userTokens.list} from "user_tokens" where ${VALID}`
    const [row] = await this.#access.all(sql, [id, purpose, this.#date(now)])
    return this.#token(row)
  }

  async take(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined> {
    const sql = `delete from "user_tokens" where ${VALID} returning ${this.#tables.userTokens.list}`
    const [row] = await this.#access.write((session) => session.all(sql, [id, purpose, this.#date(now)]))
    return this.#token(row)
  }

  async removeOf(userId: string, purpose: TokenPurpose): Promise<void> {
    const sql = 'delete from "user_tokens" where "user_id" = ? and "purpose" = ?'
    await this.#access.run(sql, [userId, purpose])
  }

  async invites(projectId: ProjectId, now: Date): Promise<readonly UserToken[]> {
    const { userTokens } = this.#tables
    const sql = `select ${userTokens.list} from "user_tokens"
      where "project_id" = ? and "purpose" = 'invite' and "expires_at" > ? order by "created_at", "id"`
    const rows = await this.#access.all(sql, [projectId, this.#date(now)])
    return rows.map((row) => userTokens.record(row))
  }

  async invitesOf(email: string, now: Date, limit: number): Promise<readonly Invitation[]> {
    const { userTokens } = this.#tables
    const sql = `select ${userTokens.listOf('"user_tokens"')}, "projects"."name" as "project_name"
      from "user_tokens" join "projects" on "projects"."id" = "user_tokens"."project_id"
      where "user_tokens"."email" = ? and "user_tokens"."purpose" = 'invite' and "user_tokens"."expires_at" > ?
      order by "user_tokens"."created_at" desc, "user_tokens"."id" desc limit ?`
    const rows = await this.#access.all(sql, [email, this.#date(now), limit])
    return rows.map((row) => {
      const token = userTokens.record(row)
      return { ...token, project: { id: token.projectId as ProjectId, name: String(row.project_name) } }
    })
  }

  async removeInvite(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = `delete from "user_tokens" where "project_id" = ? and "purpose" = 'invite' and "id" = ?`
    return (await this.#access.run(sql, [projectId, id])) > 0
  }

  forget(now: Date, limit: number): Promise<number> {
    const which = 'select "id" from "user_tokens" where "expires_at" <= ? order by "expires_at" limit ?'
    const params = [this.#date(now), limit]
    return this.#access.run(`delete from "user_tokens" where "id" in (${which})`, params)
  }

  #token(row: Row | undefined): UserToken | undefined {
    return row && this.#tables.userTokens.record(row)
  }

  #date(at: Date): unknown {
    return this.#access.dialect.encode('date')(at)
  }
}
