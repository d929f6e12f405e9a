import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { UserSession } from '../ports/store/user-sessions.ts'
import type { User } from '../ports/store/users.ts'
import { isId } from '../values/id.ts'
import { shownId } from '../values/shown-id.ts'
import { changeUser } from './change-user.ts'
import { type Device, deviceOf } from './device.ts'
import type { Session, Sessions } from './sessions.ts'

/** A session, as its user reads it. */
export interface OwnSession extends Omit<UserSession, 'userId' | 'agent'>, Device {
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** The sessions of a user, to look at and to end. */
export class OwnSessions {
  constructor(
    private readonly store: Store,
    private readonly sessions: Sessions,
    private readonly kit: Kit,
  ) {}

  /** The sessions of the user, last used first. `token` is that of the session that asks. */
  async list(user: User, token?: string): Promise<readonly OwnSession[]> {
    const current = token === undefined ? undefined : await this.sessions.idOf(token)
    const found = await this.store.userSessions.ofUser(user.id, this.kit.now())
    return found.map(({ userId: _, agent, ...session }) => ({
      ...session,
      ...deviceOf(agent),
      current: session.id === current,
    }))
  }

  /** Ends one session of the user. Throws EngineError `RESOURCE_NOT_FOUND`. */
  async end(user: User, id: string): Promise<void> {
    if (isId(id) && (await this.store.userSessions.remove(user.id, id))) return
    throw new EngineError('RESOURCE_NOT_FOUND', `You have no session ${shownId(id)}.`)
  }

  /** Ends the session with this token, when its user logs out. */
  async leave(token: string): Promise<void> {
    const user = await this.sessions.user(token).catch(onlyInvalid)
    const id = await this.sessions.idOf(token)
    if (user && id !== undefined) await this.store.userSessions.remove(user.id, id)
  }

  /** Ends all sessions of the user but the one that asks, which gets a new token. `ended` are those that have ended. */
  async endOthers(
    user: User,
    token?: string,
  ): Promise<{ readonly session: Session; readonly ended: readonly OwnSession[] }> {
    const ended = await this.others(user, token)
    const changed = await changeUser(this.store, this.kit, user.id, (now) => ({
      ...now,
      sessionVersion: now.sessionVersion + 1,
    }))
    return { session: await this.sessions.open(changed), ended }
  }

  /** The sessions of the user but the one that asks. */
  async others(user: User, token?: string): Promise<readonly OwnSession[]> {
    return (await this.list(user, token)).filter(({ current }) => !current)
  }
}

function onlyInvalid(error: unknown): undefined {
  if (EngineError.is(error) && error.code === 'INVALID_SESSION') return undefined
  throw error
}
