import { EngineError } from '../errors.ts'
import { type InboxGrant, KEY_SCOPES, type KeyKind, type KeyScope, type Project } from '../ports/store/projects.ts'
import type { Author } from '../ports/store/template-versions.ts'
import type { User } from '../ports/store/users.ts'
import type { MemberRole } from '../values/member-roles.ts'
import { AREAS, type AreaName, isOfInboxes, keyScopeOf, roleAllows } from './roles.ts'

/** A program with an API key of the project. */
export interface KeyCaller {
  /** Whether it is used by servers or in web pages. */
  readonly kind: KeyKind
  /** The project of the key. */
  readonly project: Project
  /** The id of its record. */
  readonly keyId: string
  /** The name that people gave it, or that a client has. */
  readonly keyName: string
  /** Its rights. */
  readonly scopes: readonly KeyScope[]
  /** Of a key with the scope `inbox`. */
  readonly inbox?: InboxGrant
  /** True: such a key only reads, since a person has stopped it. */
  readonly isStopped?: true
}

/** The known facts about a person who acts. */
export type Person = Pick<User, 'id' | 'email' | 'name' | 'verifiedAt' | 'language'>

/**
 * A user who is a member of the project, or a person who is logged in at the app that embeds the engine and has this
 * role there.
 */
export interface MemberCaller {
  /** A person who is a member, not a key. */
  readonly kind: 'member'
  /** The project that the person works on. */
  readonly project: Project
  /** The person's role there. */
  readonly role: MemberRole
  /** Of a person who is logged in at that app, the id is `host:` and the id there. */
  readonly user: Person
}

/** Who calls, and for which project. */
export type Caller = KeyCaller | MemberCaller

/** The caller as the author of what a change keeps. */
export function authorOf(caller: Caller): Author {
  if (caller.kind !== 'member') return { authorType: 'key', authorId: caller.keyId, authorName: caller.keyName }
  return { authorType: 'user', authorId: caller.user.id, authorName: caller.user.email }
}

/** The one who works in inboxes: a user, a key with its grant, or the engine itself. */
export interface InboxVisitor extends Author {
  /** Of a key with the scope `inbox`: where it may work, and how far. */
  readonly grant?: InboxGrant | undefined
  /** True: such a key only reads, since a person has stopped it. */
  readonly isStopped?: boolean
}

/** The caller as one who works in inboxes. */
export function inboxVisitorOf(caller: Caller): InboxVisitor {
  if (caller.kind === 'member') return authorOf(caller)
  return { ...authorOf(caller), grant: caller.inbox, isStopped: caller.isStopped === true }
}

/** Whether the caller may do what belongs to this area: the one rule for keys and members. */
export function allows(caller: Caller, area: AreaName): boolean {
  if (caller.kind === 'member') return roleAllows(caller.role, area)
  if (caller.scopes.includes('inbox')) return isOfInboxes(area)
  if (caller.project.isForTests && !OF_TESTS.has(area)) return false
  const scope = keyScopeOf(area)
  return scope !== undefined && (caller.scopes.includes('full') || caller.scopes.includes(scope))
}

/** The areas of test keys. The draft of an inbox may be sent later, when nothing says whose it was. */
const OF_TESTS: ReadonlySet<AreaName> = new Set(['read', 'send', 'inboxes'])

/** The scopes that a key may have which the caller makes. */
export function grantedBy(caller: Caller): readonly KeyScope[] {
  if (caller.kind !== 'member') return caller.scopes.includes('full') ? KEY_SCOPES : caller.scopes
  return roleAllows(caller.role, 'keys') ? KEY_SCOPES : []
}

/** Whether the caller may read secrets of the project, such as header values of WEBHOOK steps. */
export function seesSecrets(caller: Caller): boolean {
  return allows(caller, 'webhooks')
}

/** Throws EngineError `FORBIDDEN` when the caller may not do what belongs to this area. */
export function requireArea(caller: Caller, area: AreaName): void {
  if (allows(caller, area)) return
  if (caller.kind === 'member') {
    const { role } = AREAS[area]
    throw new EngineError('FORBIDDEN', `Your role in this project, ${caller.role}, does not allow this.`, {
      suggestion: `${role === 'OWNER' ? 'An OWNER' : `A member with the role ${role}`} may do it. Roles are given by an OWNER of the project.`,
    })
  }
  if (caller.project.isForTests && !OF_TESTS.has(area)) {
    throw new EngineError('FORBIDDEN', 'A test key only reads and sends: it changes nothing else of a live project.', {
      suggestion: 'Use a project of its own with the mode "test", where all mail is caught, and a key of that.',
    })
  }
  const scope = keyScopeOf(area)
  if (scope === undefined) {
    throw new EngineError('FORBIDDEN', 'A key does not allow this: it is for members of the project alone.', {
      suggestion: `Log in as ${AREAS[area].role === 'OWNER' ? 'an OWNER' : 'a member'} of the project.`,
    })
  }
  throw new EngineError(
    'FORBIDDEN',
    `This needs a key with the scope "${scope}"; this one has ${named(caller.scopes)}.`,
    {
      suggestion: `Use a secret key whose scopes include "${scope}"${scope === 'full' ? '' : ' or "full"'}.`,
    },
  )
}

function named(scopes: readonly KeyScope[]): string {
  return scopes.map((scope) => `"${scope}"`).join(' and ')
}
