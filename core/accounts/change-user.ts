import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'

/**
 * Changes a user as it is now, in one transaction: all that `change` does or, when it throws, nothing. Answers the
 * changed user. Throws EngineError `INVALID_SESSION` when the user is gone.
 */
export function changeUser(
  store: Store,
  kit: Kit,
  id: string,
  change: (now: User, tx: Repositories) => User | Promise<User>,
): Promise<User> {
  return store.transaction(async (tx) => {
    const now = await tx.users.lock(id)
    if (!now) throw new EngineError('INVALID_SESSION', 'This user no longer exists.')
    const changed = { ...(await change(now, tx)), updatedAt: kit.now() }
    await writeUser(tx, now, changed)
    return changed
  })
}

/**
 * Writes a user who is locked. A change that ends all sessions, such as another password, ends the links that were
 * mailed before, too: those to set a password, and those to confirm the address, and what the user has allowed to clients.
 * Invitations stay, since they let no one in by themselves.
 */
export async function writeUser(tx: Repositories, before: User, after: User): Promise<void> {
  await tx.users.update(after)
  if (after.sessionVersion === before.sessionVersion) return
  await tx.userSessions.removeOf(after.id)
  await tx.projects.revokeKeysOf(after.id, after.updatedAt)
  await endLinks(tx, after)
}

/** Ends the links that were mailed to a user: the account can be entered in another way from now on. */
export async function endLinks(tx: Pick<Repositories, 'userTokens'>, { id }: User): Promise<void> {
  for (const purpose of ['reset', 'verify'] as const) await tx.userTokens.removeOf(id, purpose)
}

/** Removes the recovery codes of a locked user. Answers the user without a second factor and sessions, to be written. */
export async function withoutSecondFactor(
  tx: Pick<Repositories, 'users'>,
  { totpSecret: _secret, totpSince: _since, totpStep: _step, ...bare }: User,
): Promise<User> {
  await tx.users.setRecoveryCodes(bare.id, [])
  return { ...bare, sessionVersion: bare.sessionVersion + 1 }
}
