import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { DELETED_RECIPIENT, type Email } from '../ports/store/emails.ts'
import type { ReachedMail } from '../ports/store/feedback.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Suppression } from '../ports/store/suppressions.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'

const DAY_MS = 24 * 3600 * 1000
/** So many mails to one person are looked at: of more within the days the newest. */
const LOOKED_AT = 200

/** A mail that failed for a reason that may pass. */
export interface SoftBounce extends Pick<Email, 'id' | 'projectId' | 'contactId' | 'to'> {
  /** Why, in the words of the last. */
  readonly reason?: string | undefined
}

/**
 * Addresses whose mail fails for a reason that may pass, again and again: after some mails in a row within some days they
 * are suppressed.
 */
@injectable()
export class SoftBounces {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Suppresses those of these recipients that have had enough of them; for use behind the commit of the bounces. */
  async look(bounces: readonly SoftBounce[]): Promise<void> {
    for (const bounce of bounces) await this.store.transaction((tx) => this.inside(tx, bounce))
  }

  /** As `look`, inside the transaction that writes the bounce. */
  async inside(tx: Repositories, { id, projectId, contactId, to, reason }: SoftBounce): Promise<void> {
    if (contactId === undefined || to === DELETED_RECIPIENT) return
    const { count, days } = this.values.feedback.softBounces
    const now = this.kit.now()
    const since = new Date(now.getTime() - days * DAY_MS)
    const mails = await tx.feedback.mailsTo(projectId, contactId, since, LOOKED_AT)
    if (inARow(mails, id) < count) return
    // what stands there already is a better reason
    if ((await tx.suppressions.among(projectId, [to], now)).size > 0) return
    const detail = `${count} mails in a row could not be delivered within ${days} days${reason ? `; the last: ${reason}` : ''}`
    const entry: Suppression = { id: this.kit.newId(), projectId, email: to, reason: 'BOUNCE', detail, createdAt: now }
    await tx.suppressions.put(entry)
  }
}

/**
 * How many mails up to this one failed so in a row, given all of them with the newest first. A mail that arrived ends the
 * row; one of which nothing is known yet, or that failed for our own sake, is passed over. When a later one was opened
 * the row is over as well: somebody is there.
 */
export function inARow(mails: readonly ReachedMail[], id: string): number {
  let count = 0
  for (const mail of mails) {
    const isAlive = mail.openedAt !== undefined || mail.clickedAt !== undefined
    if (mail.softBouncedAt !== undefined) {
      if (mail.id <= id) count++
    } else if (isAlive) return mail.id > id ? 0 : count
    else if (mail.id < id && mail.deliveredAt !== undefined && ARRIVED.has(mail.status)) return count
  }
  return count
}

/** What was handed over and was not refused later. */
const ARRIVED: ReadonlySet<string> = new Set(['DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED'])
