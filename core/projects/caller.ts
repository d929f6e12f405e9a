import { EngineError } from '../errors.ts'
import type { MemberRole } from '../ports/store/members.ts'
import type { KeyKind, KeyScope, Project } from '../ports/store/projects.ts'
import type { Author } from '../ports/store/template-versions.ts'
import type { User } from '../ports/store/users.ts'

/**
 * A right that a request may need: to send mail, to track events, to read, to do everything in the project; `own`: to
 * decide who belongs to the project, which no key may.
 */
export type Scope = KeyScope | 'own'

/** A program with an API key of the project. */
interface KeyCaller {
  readonly kind: KeyKind
  readonly project: Project
  readonly keyId: string
  readonly keyName: string
  readonly scopes: readonly KeyScope[]
}

/** The known facts about a person who acts. */
export type Person = Pick<User, 'id' | 'email' | 'name' | 'verifiedAt'>

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

const ALL = ['send', 'track', 'read', 'full'] as const

/** The rights of each role. */
const OF_ROLE: Readonly<Record<MemberRole, readonly Scope[]>> = {
  MEMBER: ['send', 'track', 'read'],
  ADMIN: ALL,
  OWNER: [...ALL, 'own'],
}

/** The rights of the caller: the one rule for keys and members. */
export function scopesOf(caller: Caller): readonly Scope[] {
  if (caller.kind === 'member') return OF_ROLE[caller.role]
  return caller.scopes.includes('full') ? ALL : caller.scopes
}

/** Whether the caller may read secrets of the project, such as header values of WEBHOOK steps. */
export function seesSecrets(caller: Caller): boolean {
  return scopesOf(caller).includes('full')
}

/** Throws EngineError `FORBIDDEN` when the caller may not do what needs this scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (scopesOf(caller).includes(scope)) return
  if (caller.kind === 'member') {
    throw new EngineError('FORBIDDEN', `Your role in this project, ${caller.role}, does not allow this.`, {
      suggestion: 'Ask an OWNER of the project.',
    })
  }
  if (scope === 'own') {
    throw new EngineError('FORBIDDEN', 'A key does not allow this: it is for members of the project alone.', {
      suggestion: 'Log in as an OWNER of the project.',
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
