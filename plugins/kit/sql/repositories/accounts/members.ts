import type {
  Member,
  MemberChange,
  MemberRepository,
  MemberRole,
  NamedMember,
} from '../../../../../core/ports/store/members.ts'
import type { Project } from '../../../../../core/ports/store/projects.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Params, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { projectOf, selectProjects } from '../projects.ts'

interface Membership {
  readonly project: Project
  readonly role: MemberRole
}

/** The members of projects. */
export class SqlMembers implements MemberRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, userId: string): Promise<Membership | undefined> {
    const where = '"project_members"."project_id" = ? and "project_members"."user_id" = ?'
    return (await this.#memberships(where, [projectId, userId]))[0]
  }

  ofUser(userId: string): Promise<readonly Membership[]> {
    const order = 'order by "project_members"."created_at", "projects"."id"'
    return this.#memberships(`"project_members"."user_id" = ? ${order}`, [userId])
  }

  async othersOwn(userId: string): Promise<boolean> {
    const sql = `select 1 as "one" from "project_members" as "owner" where "owner"."role" = 'OWNER' and not exists (
      select 1 from "project_members" as "own"
      where "own"."project_id" = "owner"."project_id" and "own"."user_id" = ? and "own"."role" = 'OWNER') limit 1`
    return (await this.#access.all(sql, [userId])).length > 0
  }

  async list(projectId: ProjectId): Promise<readonly NamedMember[]> {
    const { projectMembers } = this.#tables
    const sql = `select ${projectMembers.listOf('"project_members"')}, "users"."email" as "user_email", "users"."name" as "user_name"
      from "project_members" join "users" on "users"."id" = "project_members"."user_id"
      where "project_members"."project_id" = ? order by "project_members"."created_at", "users"."id"`
    const rows = await this.#access.all(sql, [projectId])
    return rows.map((row) => {
      const member = projectMembers.record(row)
      const name = typeof row.user_name === 'string' ? { name: row.user_name } : {}
      return { ...member, user: { id: member.userId, email: String(row.user_email), ...name } }
    })
  }

  async add(member: Member): Promise<boolean> {
    const once = 'on conflict ("project_id", "user_id") do nothing'
    return (await this.#access.write((session) => this.#tables.projectMembers.insert(session, [member], once))) > 0
  }

  setRole(projectId: ProjectId, userId: string, role: MemberRole): Promise<MemberChange> {
    const sql = 'update "project_members" set "role" = ? where "project_id" = ? and "user_id" = ?'
    return this.#access.write(async (session) => {
      if (role !== 'OWNER' && (await this.#isLastOwner(session, projectId, userId))) return 'last-owner'
      return (await session.run(sql, [role, projectId, userId])) > 0 ? 'changed' : 'missing'
    })
  }

  remove(projectId: ProjectId, userId: string): Promise<MemberChange> {
    const sql = 'delete from "project_members" where "project_id" = ? and "user_id" = ?'
    return this.#access.write(async (session) => {
      if (await this.#isLastOwner(session, projectId, userId)) return 'last-owner'
      return (await session.run(sql, [projectId, userId])) > 0 ? 'changed' : 'missing'
    })
  }

  /** Locks every OWNER, in one order, so that of two who leave at the same time the second sees that the first is gone. */
  async #isLastOwner(session: Session, projectId: ProjectId, userId: string): Promise<boolean> {
    const lock = this.#access.dialect.lockRows('"project_members"')
    const sql = `select "user_id" from "project_members" where "project_id" = ? and "role" = 'OWNER' order by "user_id"${lock}`
    const owners = await session.all(sql, [projectId])
    return owners.length === 1 && owners[0]?.user_id === userId
  }

  async #memberships(where: string, params: Params): Promise<readonly Membership[]> {
    const sql = selectProjects(
      this.#tables,
      ', "project_members"."role" as "member_role"',
      `join "project_members" on "project_members"."project_id" = "projects"."id" where ${where}`,
    )
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => ({ project: projectOf(this.#tables, row), role: row.member_role as MemberRole }))
  }
}
