import { EngineError } from '../errors.ts'
import type { MemberRole } from '../ports/store/members.ts'
import type { KeyKind, Project } from '../ports/store/projects.ts'
import type { User } from '../ports/store/users.ts'

/**
 * What a request may need: to send mail, to track events, to read, everything in the project; `own`: to decide who
 * belongs to the project, which no key may.
 */
export type Scope = 'send' | 'track' | 'read' | 'full' | 'own'

/** A program with an API key of the project. */
interface KeyCaller {
  readonly kind: KeyKind
  readonly project: Project
}

/** A user who is a member of the project. */
export interface MemberCaller {
  readonly kind: 'member'
  readonly project: Project
  readonly role: MemberRole
  readonly user: User
}

/** Who calls, and for which project. */
export type Caller = KeyCaller | MemberCaller

const ALL = ['send', 'track', 'read', 'full'] as const

/** What each role may do. */
const OF_ROLE: Readonly<Record<MemberRole, readonly Scope[]>> = {
  MEMBER: ['send', 'track', 'read'],
  ADMIN: ALL,
  OWNER: [...ALL, 'own'],
}

/** What each kind of key may do. */
const OF_KEY: Readonly<Record<KeyKind, readonly Scope[]>> = { secret: ALL, public: ['track'] }

/** What the caller may do: the one rule for keys and members. */
export function scopesOf(caller: Caller): readonly Scope[] {
  return caller.kind === 'member' ? OF_ROLE[caller.role] : OF_KEY[caller.kind]
}

/** Throws EngineError `FORBIDDEN` when the caller may not do what needs this scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (scopesOf(caller).includes(scope)) return
  if (caller.kind === 'public') {
    throw new EngineError('FORBIDDEN', 'A public key can only track events.', {
      suggestion: 'Use a secret key (sk_…), and keep it on your server.',
    })
  }
  if (caller.kind === 'member') {
    throw new EngineError('FORBIDDEN', `Your role in this project, ${caller.role}, does not allow this.`, {
      suggestion: 'Ask an OWNER of the project.',
    })
  }
  throw new EngineError('FORBIDDEN', 'A key does not allow this: it is for members of the project alone.', {
    suggestion: 'Log in as an OWNER of the project.',
  })
}
