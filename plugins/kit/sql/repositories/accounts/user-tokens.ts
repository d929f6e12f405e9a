import type {
  Invitation,
  TokenPurpose,
  UserToken,
  UserTokenRepository,
} from '../../../../../core/ports/store/user-tokens.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** Tokens that work once. */
export class SqlUserTokens extends Repository implements UserTokenRepository {
  readonly #tokens = new Rows(this.access, this.tables.userTokens)

  add(token: UserToken): Promise<boolean> {
    return this.#tokens.add(token)
  }

  find(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined> {
    return this.#tokens.one({ id, purpose, expiresAt: { $gt: now } })
  }

  async take(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined> {
    return (await this.#tokens.take({ id, purpose, expiresAt: { $gt: now } }))[0]
  }

  async removeOf(userId: string, purpose: TokenPurpose): Promise<void> {
    await this.#tokens.remove({ userId, purpose })
  }

  invites(projectId: ProjectId, now: Date): Promise<readonly UserToken[]> {
    const valid = { projectId, purpose: 'invite', expiresAt: { $gt: now } } as const
    return this.#tokens.list(valid, { orderBy: { createdAt: 'asc', id: 'asc' } })
  }

  async invitesOf(email: string, now: Date, limit: number): Promise<readonly Invitation[]> {
    const { userTokens } = this.tables
    const sql = `select ${userTokens.listOf('"user_tokens"')}, "projects"."name" as "project_name"
      from "user_tokens" join "projects" on "projects"."id" = "user_tokens"."project_id"
      where "user_tokens"."email" = ? and "user_tokens"."purpose" = 'invite' and "user_tokens"."expires_at" > ?
      order by "user_tokens"."created_at" desc, "user_tokens"."id" desc limit ?`
    const rows = await this.access.all(sql, [email, this.dialect.encode('date')(now), limit])
    return rows.map((row) => {
      const token = userTokens.record(row)
      return { ...token, project: { id: token.projectId as ProjectId, name: String(row.project_name) } }
    })
  }

  removeInvite(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#tokens.remove({ projectId, purpose: 'invite', id })
  }

  forget(now: Date, limit: number): Promise<number> {
    return this.#tokens.removeFirst({ expiresAt: { $lte: now } }, 'expiresAt', limit)
  }
}
