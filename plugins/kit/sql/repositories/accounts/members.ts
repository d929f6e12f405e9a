import type { Member, MemberChange, MemberRepository, NamedMember } from '../../../../../core/ports/store/members.ts'
import type { Project } from '../../../../../core/ports/store/projects.ts'
import { USER_LANGUAGES } from '../../../../../core/ports/store/users.ts'
import type { MemberRole } from '../../../../../core/values/member-roles.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import type { Params } from '../../engine/session.ts'
import { projectOf, selectProjects } from '../projects.ts'

interface Membership {
  readonly project: Project
  readonly role: MemberRole
}

/** The members of projects. */
export class SqlMembers extends Repository implements MemberRepository {
  readonly #members = new Rows(this.access, this.tables.projectMembers)

  async find(projectId: ProjectId, userId: string): Promise<Membership | undefined> {
    const where = '"project_members"."project_id" = ? and "project_members"."user_id" = ?'
    return (await this.#memberships(where, [projectId, userId]))[0]
  }

  ofUser(userId: string): Promise<readonly Membership[]> {
    const order = 'order by "project_members"."created_at", "projects"."id"'
    return this.#memberships(`"project_members"."user_id" = ? ${order}`, [userId])
  }

  othersOwn(userId: string): Promise<boolean> {
    const own = this.#members.each('projectId', { userId, role: 'OWNER' })
    return this.#members.exists({ role: 'OWNER', $not: { projectId: { $in: own } } })
  }

  async ownedByOthers(userId: string): Promise<readonly Project[]> {
    const owners = `select "project_id" from "project_members" where "role" = 'OWNER'`
    const where = `where "projects"."id" in (${owners}) and "projects"."id" not in (${owners} and "user_id" = ?)`
    const sql = selectProjects(this.tables, '', `${where} order by "projects"."created_at", "projects"."id"`)
    const rows = await this.access.all(sql, [userId])
    return rows.map((row) => projectOf(this.tables, row))
  }

  async list(projectId: ProjectId): Promise<readonly NamedMember[]> {
    const { projectMembers } = this.tables
    const sql = `select ${projectMembers.listOf('"project_members"')}, "users"."email" as "user_email", "users"."name" as "user_name", "users"."language" as "user_language"
      from "project_members" join "users" on "users"."id" = "project_members"."user_id"
      where "project_members"."project_id" = ? order by "project_members"."created_at", "users"."id"`
    const rows = await this.access.all(sql, [projectId])
    return rows.map((row) => {
      const member = projectMembers.record(row)
      const name = typeof row.user_name === 'string' ? { name: row.user_name } : {}
      const known = USER_LANGUAGES.find((each) => each === row.user_language)
      const language = known === undefined ? {} : { language: known }
      return { ...member, user: { id: member.userId, email: String(row.user_email), ...name, ...language } }
    })
  }

  add(member: Member): Promise<boolean> {
    return this.#members.add(member)
  }

  setRole(projectId: ProjectId, userId: string, role: MemberRole): Promise<MemberChange> {
    return this.#unlessLastOwner(projectId, userId, role !== 'OWNER', async (members) => {
      return (await members.change({ projectId, userId }, { role })) > 0
    })
  }

  remove(projectId: ProjectId, userId: string): Promise<MemberChange> {
    return this.#unlessLastOwner(projectId, userId, true, (members) => members.remove({ projectId, userId }))
  }

  /** Locks every OWNER, in one order, so that of two who leave at the same time the second sees that the first is gone. */
  #unlessLastOwner(
    projectId: ProjectId,
    userId: string,
    leaves: boolean,
    change: (members: Rows<Member>) => Promise<boolean>,
  ): Promise<MemberChange> {
    return this.access.write(async (session) => {
      const members = this.#members.in(session)
      if (leaves) {
        const [first, ...others] = await members.list(
          { projectId, role: 'OWNER' },
          { orderBy: { userId: 'asc' }, lock: 'change' },
        )
        if (first?.userId === userId && others.length === 0) return 'last-owner'
      }
      return (await change(members)) ? 'changed' : 'missing'
    })
  }

  async #memberships(where: string, params: Params): Promise<readonly Membership[]> {
    const sql = selectProjects(
      this.tables,
      ', "project_members"."role" as "member_role"',
      `join "project_members" on "project_members"."project_id" = "projects"."id" where ${where}`,
    )
    const rows = await this.access.all(sql, params)
    return rows.map((row) => ({ project: projectOf(this.tables, row), role: row.member_role as MemberRole }))
  }
}
