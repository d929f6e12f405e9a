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
    await tx.users.update(changed)
    return changed
  })
}
