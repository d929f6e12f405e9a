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

/** The result once the mail has ended without being handed over; undefined while it may yet arrive. */
export function unsentResult(result: SeedResult, mail: Email | undefined): SeedResult | undefined {
  if (mail && !['FAILED', 'SKIPPED', 'BOUNCED'].includes(mail.status)) return undefined
  const problem = mail === undefined ? 'its record is gone' : (mail.error ?? mail.skipReason ?? 'it was not sent')
  return { ...result, outcome: 'unsent', problem: problem.slice(0, 500) }
}

/** The result after a look. A mailbox that cannot be read is looked into again until the time is up. */
export function landedResult(result: SeedResult, look: Look, now: Date, isLast: boolean): SeedResult {
  const looked = { ...result, lookedAt: now.toISOString() }
  if ('problem' in look)
    return { ...looked, problem: look.problem.slice(0, 500), outcome: isLast ? 'unreadable' : 'waiting' }
  const { found } = look
  if (found === undefined) return { ...looked, problem: null, outcome: isLast ? 'missing' : 'waiting' }
  const { folder, use, tab, at } = found
  const isInTab = tab !== undefined && tab !== 'primary'
  const outcome = use === 'inbox' && isInTab ? 'tab' : use
  return { ...looked, problem: null, outcome, folder, tab: tab ?? null, arrivedAt: at.toISOString() }
}
