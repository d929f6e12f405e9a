import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'

const HOUR_MS = 3_600_000

/**
 * Counts a mail of a key that may send so many in an hour; answers how to take it back. Throws EngineError
 * `RATE_LIMIT_EXCEEDED`.
 */
export async function countInHour(
  { attempts }: Store,
  kit: Kit,
  { authorId, grant }: InboxVisitor,
): Promise<(() => Promise<void>) | undefined> {
  const most = grant?.hourly
  if (most === undefined) return undefined
  const now = kit.now()
  const hour = Math.floor(now.getTime() / HOUR_MS)
  const [key, until] = [`inbox key ${authorId} ${hour}`, new Date((hour + 1) * HOUR_MS)]
  if ((await attempts.take(key, now, until, 1, most)) === 1) return () => attempts.giveBack(key, 1)
  throw new EngineError('RATE_LIMIT_EXCEEDED', `This key may send ${most} mails an hour, and has.`, {
    retryAfter: Math.ceil((until.getTime() - now.getTime()) / 1000),
  })
}
