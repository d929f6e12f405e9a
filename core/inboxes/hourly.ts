import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'

const HOUR_MS = 3_600_000

/** Counts one more of what may be done so often in an hour; answers whether it was within, and how to take it back. */
export async function takeInHour(
  { attempts }: Pick<Repositories, 'attempts'>,
  what: string,
  now: Date,
  most: number,
): Promise<{ readonly isWithin: boolean; readonly until: Date; giveBack(): Promise<void> }> {
  const hour = Math.floor(now.getTime() / HOUR_MS)
  const [key, until] = [`${what} ${hour}`, new Date((hour + 1) * HOUR_MS)]
  const isWithin = (await attempts.take(key, now, until, 1, most)) === 1
  return { isWithin, until, giveBack: () => attempts.giveBack(key, 1) }
}

/**
 * Counts a mail of a key that may send so many in an hour; answers how to take it back. Throws EngineError
 * `RATE_LIMIT_EXCEEDED`.
 */
export async function countInHour(
  store: Pick<Repositories, 'attempts'>,
  kit: Kit,
  { authorId, grant }: InboxVisitor,
): Promise<(() => Promise<void>) | undefined> {
  const most = grant?.hourly
  if (most === undefined) return undefined
  const now = kit.now()
  const { isWithin, until, giveBack } = await takeInHour(store, `inbox key ${authorId}`, now, most)
  if (isWithin) return giveBack
  throw new EngineError('RATE_LIMIT_EXCEEDED', `This key may send ${most} mails an hour, and has.`, {
    retryAfter: Math.ceil((until.getTime() - now.getTime()) / 1000),
  })
}
