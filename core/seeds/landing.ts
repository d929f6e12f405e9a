import type { FoundMessage } from '../ports/mailbox.ts'
import type { Email } from '../ports/store/emails.ts'
import type { SeedResult, SeedTest } from '../ports/store/seeds.ts'

const MINUTE_MS = 60_000

/** The result of one look into a mailbox: what was found there, nothing, or the reason why it cannot be read. */
export type Look = { readonly found: FoundMessage | undefined } | { readonly problem: string }

/** Whether the time is up in which a test waits for its mails. */
export function isOver({ createdAt, minutes }: Pick<SeedTest, 'createdAt' | 'minutes'>, now: Date): boolean {
  return now.getTime() >= createdAt.getTime() + minutes * MINUTE_MS
}

/**
 * The result once the mail has ended without being handed over, or when the time is up and it has no record: it was not
 * written, or is gone. Undefined while it may yet arrive.
 */
export function unsentResult(result: SeedResult, mail: Email | undefined, isLast: boolean): SeedResult | undefined {
  if (mail ? !['FAILED', 'SKIPPED', 'BOUNCED'].includes(mail.status) : !isLast) return undefined
  return unsent(result, mail === undefined ? 'it has no record' : (mail.error ?? mail.skipReason ?? 'it was not sent'))
}

function unsent(result: SeedResult, problem: string): SeedResult {
  return { ...result, outcome: 'unsent', problem: problem.slice(0, 500) }
}

/** The facts around a look. */
interface Around {
  readonly mail: Email | undefined
  readonly now: Date
  readonly isLast: boolean
}

/** The result after a look. A mailbox that cannot be read is looked into again until the time is up. */
export function landedResult(result: SeedResult, look: Look, { mail, now, isLast }: Around): SeedResult {
  const looked = { ...result, lookedAt: now.toISOString() }
  if ('problem' in look)
    return { ...looked, problem: look.problem.slice(0, 500), outcome: isLast ? 'unreadable' : 'waiting' }
  const { found } = look
  if (found === undefined && isLast && (mail?.status === 'QUEUED' || mail?.status === 'SENDING'))
    return unsent(looked, 'it still waits to be sent')
  if (found === undefined) return { ...looked, problem: null, outcome: isLast ? 'missing' : 'waiting' }
  const { folder, use, tab, at } = found
  const isInTab = tab !== undefined && tab !== 'primary'
  const outcome = use === 'inbox' && isInTab ? 'tab' : use
  return { ...looked, problem: null, outcome, folder, tab: tab ?? null, arrivedAt: at.toISOString() }
}
