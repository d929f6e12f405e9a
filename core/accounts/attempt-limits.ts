import { createHash } from 'node:crypto'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'

const MINUTE_MS = 60_000

/** How often each thing may be tried, and within how many minutes. */
const LIMITS = {
  /** Passwords for one address from one client. */
  login: { most: 5, minutes: 5 },
  /** Passwords for one address from anywhere: looser, since a stranger could otherwise lock a user out. */
  address: { most: 100, minutes: 5 },
  /** Passwords for one address from one IPv6 network (/48), which one owner may have as a whole. */
  network: { most: 20, minutes: 5 },
  /** Passwords from a browser in which the user was logged in before: strangers cannot use these up. */
  browser: { most: 5, minutes: 5 },
  /** Codes of the second factor, and passwords of users who are logged in. */
  user: { most: 5, minutes: 5 },
  /** Accounts from one client. */
  signup: { most: 20, minutes: 60 },
  /** Requests for mail from one client. */
  asking: { most: 30, minutes: 5 },
  /** Mails to one address. */
  mail: { most: 3, minutes: 60 },
  /** Invitations by one person. */
  invites: { most: 100, minutes: 60 },
  /** Invitations to one address, from all senders together. */
  invited: { most: 10, minutes: 60 },
} as const
type Kind = keyof typeof LIMITS

/**
 * Limits guesses. Counts are in the store, since with its own counts each process would allow as many guesses again;
 * an attempt is counted before it is made, so that many at once are no way around.
 */
export class AttemptLimits {
  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {}

  /** Counts an attempt. Throws EngineError `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async count(kind: Kind, ...about: readonly (string | undefined)[]): Promise<void> {
    const wait = await this.#wait(kind, about)
    if (wait === undefined) return
    const { most, minutes } = LIMITS[kind]
    const message = `Too many attempts: at most ${most} within ${minutes} minutes.`
    throw new EngineError('RATE_LIMIT_EXCEEDED', message, { retryAfter: wait })
  }

  /** Counts an attempt, and answers whether it may be made. */
  async allows(kind: Kind, ...about: readonly (string | undefined)[]): Promise<boolean> {
    return (await this.#wait(kind, about)) === undefined
  }

  /** Forgets all attempts, after one that succeeded. */
  forgiveAll(kind: Kind, ...about: readonly (string | undefined)[]): Promise<void> {
    return this.store.attempts.forgive(keyOf(kind, about), true)
  }

  /** Takes back one attempt. */
  forgive(kind: Kind, ...about: readonly (string | undefined)[]): Promise<void> {
    return this.store.attempts.forgive(keyOf(kind, about), false)
  }

  /** The seconds to wait when it is one too many. */
  async #wait(kind: Kind, about: readonly (string | undefined)[]): Promise<number | undefined> {
    const { most, minutes } = LIMITS[kind]
    const now = this.kit.now()
    const end = new Date(now.getTime() + minutes * MINUTE_MS)
    const { count, until } = await this.store.attempts.count(keyOf(kind, about), now, end)
    return count > most ? Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)) : undefined
  }
}

/** A hash, so that no table of addresses comes about. */
function keyOf(kind: Kind, about: readonly (string | undefined)[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, ...about]))
    .digest('base64url')
}
